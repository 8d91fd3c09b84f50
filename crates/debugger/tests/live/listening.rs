//! Several front ends at one debugger: what each of them hears of stops.

use std::sync::mpsc::{Receiver, channel};

use wayfarer_debugger::view::{StopReason, StopView};
use wayfarer_debugger::{Event, Run};

use crate::Test;
use crate::bench::Bench;

pub const TESTS: &[Test] = &[
    (
        "listening::each_stop_is_told_once_to_each",
        each_stop_is_told_once_to_each,
    ),
    (
        "listening::stops_of_the_background_are_not_lost",
        stops_of_the_background_are_not_lost,
    ),
];

const TWO_LINES: &str = r#"int first(int x)
{
  return x + 1;
}
int main(void)
{
  int one = first(1);
  return one - first(one) + 1;
}
"#;

fn stops_of(events: &[Event]) -> Vec<StopView> {
    let stops = events.iter().filter_map(|event| match event {
        Event::Stopped(view) => Some(view.clone()),
        _ => None,
    });
    stops.collect()
}

fn each_stop_is_told_once_to_each() {
    let mut bench = Bench::new();
    let (heard, second) = channel();
    let listening = bench.debugger.on_event(Box::new(move |event| {
        let _ = heard.send(event.clone());
    }));
    let mut returned = vec![bench.launch("two.c", TWO_LINES, &["-O0"])];
    bench.set("first");
    returned.push(bench.run());
    returned.push(bench.go(Run::Finish));
    let everything = |receiver: &Receiver<Event>| receiver.try_iter().collect::<Vec<_>>();
    assert_eq!(stops_of(&everything(&second)), returned);
    listening.end();
    returned.push(bench.run());
    returned.push(bench.run());
    let last = returned.last().map(|view| view.reason.clone());
    assert_eq!(last, Some(StopReason::Exited { status: 0 }));
    assert_eq!(stops_of(&bench.events.lock().expect("events")), returned);
    assert!(everything(&second).is_empty());
    assert!(bench.debugger.pump().expect("no news").is_empty());
}

fn stops_of_the_background_are_not_lost() {
    let mut bench = Bench::new();
    bench.launch("two.c", TWO_LINES, &["-O0"]);
    bench.set("first");
    let (wake, woken) = channel();
    bench.debugger.on_wake(Box::new(move || {
        let _ = wake.send(());
    }));
    let go_on = Run::Continue { ignore: 0 };
    bench.at().start(go_on.clone(), None).expect("runs");
    let mut background = Vec::new();
    while background.is_empty() {
        woken.recv().expect("news");
        background = bench.debugger.pump().expect("news");
    }
    assert_eq!(Bench::place(&background[0]), "first:3");
    // The next stop is met by commands, which fail and tell nothing of it themselves.
    bench.at().start(go_on, None).expect("runs");
    let told = |bench: &Bench| stops_of(&bench.events.lock().expect("events"));
    while told(&bench).len() < 3 {
        woken.recv().expect("news");
        let nonsense = Run::Signal("SIGNONSENSE".to_owned());
        bench.at().execute(nonsense, None).expect_err("unknown");
    }
    let later = bench.debugger.pump().expect("no news");
    assert_eq!(later, told(&bench)[2..]);
    assert_eq!(Bench::place(&later[0]), "first:3");
}
