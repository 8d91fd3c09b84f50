//! The same tests for `std::sync` and for this crate, outside of a session: a program that changes one for the
//! other must not notice.

/// All tests over the module `$api`, as a module of its own.
macro_rules! parity {
    ($name:ident, $api:path) => {
        mod $name {
            use api::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
            use api::mpsc::{self, RecvTimeoutError, TryRecvError, TrySendError};
            use api::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock, TryLockError};
            use std::panic::{AssertUnwindSafe, catch_unwind};
            use std::thread;
            use std::time::Duration;
            use $api as api;

            fn poison(run: impl FnOnce()) {
                assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            }

            #[test]
            fn a_mutex_keeps_others_out() {
                static TOTAL: Mutex<u64> = Mutex::new(0);
                thread::scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|| (0..1000).for_each(|_| *TOTAL.lock().unwrap() += 1));
                    }
                });
                let guard = TOTAL.lock().unwrap();
                assert_eq!(*guard, 4000);
                assert!(matches!(TOTAL.try_lock(), Err(TryLockError::WouldBlock)));
                drop(guard);
                assert_eq!(*TOTAL.try_lock().unwrap(), 4000);
            }

            #[test]
            fn a_panic_poisons_a_mutex() {
                let mut mutex = Mutex::new(1);
                poison(|| {
                    let _guard = mutex.lock().unwrap();
                    panic!("on purpose");
                });
                assert!(mutex.is_poisoned());
                assert_eq!(*mutex.lock().unwrap_err().into_inner(), 1);
                assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
                assert!(mutex.get_mut().is_err());
                mutex.clear_poison();
                *mutex.lock().unwrap() = 2;
                assert_eq!(mutex.into_inner().unwrap(), 2);
            }

            #[test]
            fn a_mutex_shows_itself() {
                let mutex = Mutex::new(5);
                assert_eq!(
                    format!("{mutex:?}"),
                    "Mutex { data: 5, poisoned: false, .. }"
                );
                let guard = mutex.lock().unwrap();
                assert_eq!(format!("{guard} {guard:?}"), "5 5");
            }

            #[test]
            fn a_mutex_may_hold_what_has_no_size() {
                let mutex: Box<Mutex<[i32]>> = Box::new(Mutex::new([1, 2, 3]));
                mutex.lock().unwrap()[0] = 4;
                assert_eq!(mutex.lock().unwrap().iter().sum::<i32>(), 9);
            }

            #[test]
            fn readers_share_and_writers_do_not() {
                let lock = RwLock::new(1);
                let (first, second) = (lock.read().unwrap(), lock.try_read().unwrap());
                assert_eq!(*first + *second, 2);
                assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
                drop((first, second));
                *lock.write().unwrap() = 2;
                let writer = lock.try_write().unwrap();
                assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
                drop(writer);
                poison(|| {
                    let _guard = lock.write().unwrap();
                    panic!("on purpose");
                });
                assert!(lock.is_poisoned() && lock.read().is_err() && lock.try_write().is_err());
                lock.clear_poison();
                assert_eq!(lock.into_inner().unwrap(), 2);
            }

            #[test]
            fn a_condition_wakes_its_waiter() {
                let shared = Arc::new((Mutex::new(false), Condvar::new()));
                let other = Arc::clone(&shared);
                let thread = thread::spawn(move || {
                    *other.0.lock().unwrap() = true;
                    other.1.notify_all();
                });
                let (mutex, condition) = &*shared;
                let ready = condition.wait_while(mutex.lock().unwrap(), |ready| !*ready);
                assert!(*ready.unwrap());
                thread.join().unwrap();
            }

            #[test]
            fn a_timed_wait_ends() {
                let (mutex, condition) = (Mutex::new(()), Condvar::new());
                let limit = Duration::from_millis(1);
                // It may wake before its time without a reason; the other form may not.
                let guard = condition
                    .wait_timeout(mutex.lock().unwrap(), limit)
                    .unwrap()
                    .0;
                let waited = condition
                    .wait_timeout_while(guard, limit, |_| true)
                    .unwrap();
                assert!(waited.1.timed_out());
                let waited = condition
                    .wait_timeout_while(waited.0, limit, |_| false)
                    .unwrap();
                assert!(!waited.1.timed_out());
            }

            #[test]
            fn a_closure_is_run_once() {
                static ONCE: Once = Once::new();
                static RUNS: AtomicUsize = AtomicUsize::new(0);
                assert!(!ONCE.is_completed());
                thread::scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|| {
                            ONCE.call_once(|| {
                                RUNS.fetch_add(1, Ordering::Relaxed);
                            })
                        });
                    }
                });
                ONCE.wait();
                assert!(ONCE.is_completed());
                assert_eq!(RUNS.load(Ordering::Relaxed), 1);
            }

            #[test]
            fn a_panic_poisons_a_once() {
                let once = Once::new();
                poison(|| once.call_once(|| panic!("on purpose")));
                poison(|| once.call_once(|| ()));
                once.call_once_force(|state| assert!(state.is_poisoned()));
                assert!(once.is_completed());
            }

            #[test]
            fn a_value_is_set_once() {
                let mut cell = OnceLock::new();
                assert_eq!(cell.get(), None);
                assert_eq!(cell.set(1), Ok(()));
                assert_eq!(cell.set(2), Err(2));
                assert_eq!((*cell.wait(), *cell.get_or_init(|| 3)), (1, 1));
                assert_eq!(cell.clone(), OnceLock::from(1));
                assert_eq!(format!("{cell:?}"), "OnceLock(1)");
                *cell.get_mut().unwrap() = 4;
                assert_eq!((cell.take(), cell.into_inner()), (Some(4), None));
            }

            #[test]
            fn one_thread_leads_at_a_barrier() {
                let barrier = Barrier::new(4);
                let leaders = AtomicUsize::new(0);
                thread::scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|| {
                            for _ in 0..10 {
                                if barrier.wait().is_leader() {
                                    leaders.fetch_add(1, Ordering::Relaxed);
                                }
                            }
                        });
                    }
                });
                assert_eq!(leaders.into_inner(), 10);
            }

            #[test]
            fn a_channel_keeps_the_order_of_a_sender() {
                let (sender, receiver) = mpsc::channel();
                assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
                let limit = Duration::from_millis(1);
                assert_eq!(receiver.recv_timeout(limit), Err(RecvTimeoutError::Timeout));
                let other = sender.clone();
                let thread = thread::spawn(move || (0..100).for_each(|n| other.send(n).unwrap()));
                drop(sender);
                assert_eq!(receiver.iter().sum::<i32>(), 4950);
                thread.join().unwrap();
                assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
                assert!(receiver.recv().is_err());
            }

            #[test]
            fn a_channel_has_a_bound() {
                let (sender, receiver) = mpsc::sync_channel(1);
                sender.send(1).unwrap();
                assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
                assert_eq!(receiver.recv(), Ok(1));
                assert_eq!(receiver.try_iter().count(), 0);
                drop(receiver);
                assert_eq!(sender.try_send(3), Err(TrySendError::Disconnected(3)));
                assert_eq!(sender.send(4).unwrap_err().0, 4);
            }

            #[test]
            fn sender_and_receiver_meet() {
                let (sender, receiver) = mpsc::sync_channel(0);
                assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
                let thread = thread::spawn(move || (1..4).try_for_each(|n| sender.send(n)));
                let taken: Vec<i32> = receiver.into_iter().take(2).collect();
                assert_eq!(taken, [1, 2]);
                // The receiver is gone, or the third value was never taken.
                assert!(thread.join().unwrap().is_err());
            }

            #[test]
            fn atomics_do_what_they_say() {
                let number = AtomicU64::new(5);
                let order = Ordering::SeqCst;
                assert_eq!(number.fetch_add(2, order), 5);
                assert_eq!(number.fetch_max(9, order), 7);
                assert_eq!(number.compare_exchange(1, 2, order, order), Err(9));
                assert_eq!(number.compare_exchange(9, 2, order, order), Ok(9));
                assert_eq!(
                    number.fetch_update(order, order, |n| n.checked_mul(3)),
                    Ok(2)
                );
                assert_eq!(number.fetch_update(order, order, |_| None), Err(6));
                assert_eq!((number.swap(1, order), number.into_inner()), (6, 1));
                let flag = AtomicBool::default();
                assert!(!flag.fetch_or(true, order) && flag.fetch_not(order));
                assert_eq!(format!("{flag:?}"), "false");
                let mut value = 3;
                let pointer = AtomicPtr::new(&mut value);
                assert!(!pointer.load(order).is_null());
                pointer.store(std::ptr::null_mut(), order);
                assert!(pointer.load(order).is_null());
            }
        }
    };
}

parity!(of_std, std::sync);
parity!(of_ours, wayfarer_sync);
