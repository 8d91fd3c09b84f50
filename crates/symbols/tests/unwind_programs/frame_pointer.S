# Functions without call frame information: one with a frame pointer, one that is a leaf.
        .text
        .globl  without_information
        .type   without_information, @function
without_information:
        push    %rbp
        mov     %rsp, %rbp
        sub     $32, %rsp
        call    leaf_without_information
        leave
        ret
        .size   without_information, . - without_information

        .globl  leaf_without_information
        .type   leaf_without_information, @function
leaf_without_information:
        nop
        nop
        ret
        .size   leaf_without_information, . - leaf_without_information
        .section .note.GNU-stack,"",@progbits
