// Values of every kind that C has, for the tests of printing.
#include <stdio.h>
#include <complex.h>
#include <wchar.h>
#include <stdint.h>
struct point { int x, y; };
enum color { RED, GREEN=1, BLUE=4 };
enum flags { FA=1, FB=2, FC=4 };
enum multi { M0=0, M1=1, M6=6, M8=8 };
enum odd { O1 = -1, O5 = 5 };
struct bits { unsigned a:3; int b:5; _Bool c:1; unsigned long d:40; enum color e:3;};
union u { int i; float f; char c[4]; };
struct anon { int k; struct { int p, q; }; union { int r; float s; }; struct { int z;} named; };
struct flex { int n; int data[]; };
struct node { struct node *next; int value; const char *name; int (*fn)(int); };
struct empty {};
typedef struct point point_t;
typedef int v4si __attribute__((vector_size(16)));
int callback(int a) { return a + 1; }
int global_array[5] = {1,2,3,4,5};
static struct node tail = {0, 2, "tail\n\x01\"q\"", callback};
struct node head = {&tail, 1, "head", 0};
void __attribute__((noinline)) stop(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
  char c = 'a', nul = 0, nl='\n', neg = -1, quote='\'';
  unsigned char uc = 200; signed char sc = -5; int8_t i8=65; uint8_t u8 = 7;
  short s = -3; unsigned short us = 65535; int i = -42; unsigned u = 4000000000u; long l = 1l<<40; unsigned long ul = ~0ul;
  long long ll=-1; __int128 big = ((__int128)1 << 100) + 5; unsigned __int128 ubig = ~(unsigned __int128)0;
  _Bool b = 1; float f = 1.1f; double d = 1.1, whole = 3, large=1e17, small=1e-5, inf = 1.0/0.0, nan = 0.0/0.0, e10=1e10, third=1.0/3; long double ld = 1.1L, ldb=1e4000L;
  float _Complex cf = 1.5f + 2.5f*I; double _Complex cd = 1 - 2*I;
  enum color col = BLUE; enum color badcol = 7; enum flags fl = FA|FC; enum flags fl0 = 0; enum flags fl9 = 9; enum multi mu = 7, mu0=0; enum odd od = 5, od2=2;
  struct point pt = {1, 2}; point_t tp = {3,4}; struct point *pp = &pt; point_t *tpp=&tp; void *vp = &pt; int *np = 0; int **ipp = &np; const char *const ccp = "const";
  const struct point cpt = {5,6}; volatile int vi = 9; const volatile int cvi=10;
  struct bits bi = {5, -3, 1, 123456789012, BLUE}; union u un = { .f = 1.0f }; struct anon an = {1,{2,3},{.r=4},{5}};
  static struct flex fx = {2, {7,8}}; struct flex *fxp=&fx;
  struct empty em;
  char buf[16] = "hello"; char full[5] = {'h','e','l','l','o'}; char zeros[40] = {0}; char rep[30] = "aaaaaaaaaaaaaaabc"; char empty[1] = ""; char ten[11]="xxxxxxxxxx"; char eleven[12]="xxxxxxxxxxx"; unsigned char ub[4] = {1,2,25,0};
  char utf[] = "h\xc3\xa9llo \xe2\x82\xac"; char bad[] = "a\xff\xfe z"; char longs[300]; for (int k=0;k<300;k++) longs[k] = 'a' + k%26; longs[299]=0;
  char *str = "a string"; char *strnull = 0; char *strbad = (char*)16; char *slong = longs; unsigned char *ucp = ub; signed char *scp=(signed char*)buf;
  int arr[4] = {1,2,3,4}; int rep9[9]={0}; int rep10[10] = {0}; int mixed[14] = {1,1,1,1,1,1,1,1,1,1,1,2,3,3}; int two[2][3] = {{1,2,3},{4,5,6}}; int manyz[300]; for(int k=0;k<300;k++) manyz[k]=k; struct point pts[3] = {{1,2},{3,4},{3,4}};
  char *strs[3] = {"one", "two", 0}; double darr[2]={0.5, 1e100}; _Bool barr[3]={1,0,1}; short e0[0]; char ca[2][4]={"abc","de"};
  int (*fp)(int) = callback; int (*fparr[2])(int) = {callback, 0}; void (*vfp)(void) = stop; int (*aptr)[4] = &arr; char **av = argv;
  int *gp = &global_array[2]; struct node *hp = &head; v4si vec = {1,2,3,4};
  wchar_t wc = L'x'; wchar_t ws[] = L"wide"; wchar_t *wp = ws;
  uintptr_t up = 77; size_t sz = 5; FILE *file = stdout;
  int vla[argc + 2]; for (int k = 0; k < argc+2; k++) vla[k] = k * 10;
  stop();
  return c + pt.x + vla[0];
}
