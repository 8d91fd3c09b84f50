//! Software breakpoints: exact under contention, conditional, ignored, removed.

mod common;

use common::{Session, program, symbol};
use wayfarer_predicate::{Assembler, Binary, Instruction};
use wayfarer_protocol as wire;
use wire::process_exited::How;
use wire::stop_reason::Reason;

#[test]
fn every_hit_of_four_threads_stops_once() {
    let executable = program("calls", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["100"]);
    let work = symbol(&executable, "work");
    let id = session.break_at(process.id, work);
    session.go();
    for _ in 0..400 {
        let (stop, reason) = session.stop_reason();
        assert!(
            matches!(&reason, Reason::Breakpoint(hit) if hit.ids == [id]),
            "{reason:?}"
        );
        assert_eq!(stop.registers.unwrap().rip, work);
        session.go();
    }
    assert_eq!(session.exit(), How::Status(7));
    assert_eq!(session.hits(id).hits, 400);
}

#[test]
fn counting_under_contention_is_exact() {
    let executable = program("calls", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["1000"]);
    let address = symbol(&executable, "work");
    let id = session.break_with(process.id, address, |request| {
        request.ignore_count = u64::MAX
    });
    session.go();
    assert_eq!(session.exit(), How::Status(7));
    assert_eq!(session.hits(id).hits, 4000);
}

/// The instruction after the prologue is no push: it is executed out of line or carried out.
#[test]
fn every_instruction_of_a_function_can_have_one() {
    let executable = program("calls", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["50"]);
    let work = symbol(&executable, "work");
    let code = session.read(process.id, work, 64);
    let mut ids = Vec::new();
    let mut offset = 0;
    while offset < 48 {
        let mut decoder = iced_x86::Decoder::with_ip(64, &code[offset..], work + offset as u64, 0);
        let instruction = decoder.decode();
        let address = work + offset as u64;
        ids.push(session.break_with(process.id, address, |request| {
            request.ignore_count = u64::MAX
        }));
        offset += instruction.len();
        if instruction.flow_control() == iced_x86::FlowControl::Return {
            break;
        }
    }
    session.go();
    assert_eq!(session.exit(), How::Status(7));
    for id in ids {
        assert_eq!(session.hits(id).hits, 200);
    }
}

#[test]
fn a_condition_is_evaluated_by_the_agent() {
    let executable = program("calls", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["500"]);
    let mut assembler = Assembler::new();
    // edi == 250
    assembler.push(Instruction::Register(5));
    assembler.constant(0xffff_ffff).binary(Binary::And);
    assembler.constant(250).binary(Binary::Equal);
    let predicate = assembler.finish().unwrap().to_bytes();
    let id = session.break_with(process.id, symbol(&executable, "work"), |request| {
        request.places[0].predicate = Some(predicate);
    });
    session.go();
    for _ in 0..4 {
        let (stop, _) = session.stop_reason();
        assert_eq!(stop.registers.unwrap().rdi as u32, 250);
        session.go();
    }
    assert_eq!(session.exit(), How::Status(7));
    let hits = session.hits(id);
    assert_eq!((hits.hits, hits.evaluations), (4, 2000));
}

#[test]
fn ignored_and_removed_ones_do_not_stop_again() {
    let executable = program("calls", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["20"]);
    let address = symbol(&executable, "work");
    // Without it the other threads run on uncounted from the end of the first one until they have been stopped.
    let always = session.break_with(process.id, address, |request| {
        request.ignore_count = u64::MAX
    });
    let first = session.break_at(process.id, address);
    session.go();
    let (_, reason) = session.stop_reason();
    assert!(matches!(&reason, Reason::Breakpoint(hit) if hit.ids == [first]));
    session.remove(first);
    let late = session.break_with(process.id, address, |request| request.ignore_count = 70);
    session.go();
    let (_, reason) = session.stop_reason();
    assert!(matches!(&reason, Reason::Breakpoint(hit) if hit.ids == [late]));
    assert_eq!(session.hits(late).hits, 71);
    session.remove(late);
    session.remove(always);
    session.go();
    assert_eq!(session.exit(), How::Status(7));
}

#[test]
fn memory_is_shown_without_breakpoints() {
    let executable = program("calls", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["1"]);
    let address = symbol(&executable, "work");
    let before = session.read(process.id, address, 16);
    session.break_at(process.id, address);
    assert_eq!(session.read(process.id, address, 16), before);
    let failure = session.call(|client, session| {
        Box::pin(client.insert_breakpoint(wire::InsertBreakpointRequest {
            session,
            id: 99,
            places: vec![wire::BreakpointPlace {
                process: process.id,
                address: 8,
                predicate: None,
            }],
            ..Default::default()
        }))
    });
    let failure = failure.results[0].failure.clone().unwrap();
    assert_eq!(failure.kind(), wire::FailureKind::BadAddress);
}
