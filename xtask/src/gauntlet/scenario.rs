//! The list of scenarios: which real programs are recorded, and how.

/// What a scenario consists of. `WORK` and `PORT1`, `PORT2` … in a word are replaced by the directory
/// and the ports of the run; script names are relative to `scripts/gauntlet`.
pub enum Plan {
    /// One command, recorded with everything that it starts.
    Together(&'static [&'static str]),
    /// A server recorded alone; its clients stay outside of the recorded set.
    Alone {
        /// Writes the server's configuration; not recorded.
        prepare: Option<&'static [&'static str]>,
        server: &'static [&'static str],
        clients: &'static [&'static str],
        end: End,
    },
}

/// How a server that is recorded alone is asked to leave.
#[derive(Clone, Copy)]
pub enum End {
    /// By a command of its own protocol.
    Command(&'static [&'static str]),
    /// By SIGTERM.
    Terminate,
}

pub struct Scenario {
    pub name: &'static str,
    pub plan: Plan,
    /// Long ones are replayed once, the others twice.
    pub replays: u32,
    /// Why its programs may diverge when they are recorded in parallel, by a race of their own: then a replay is tried
    /// again a few times, as `replay --retry` does, and each attempt is told.
    pub races: Option<&'static str>,
}

const fn together(name: &'static str, replays: u32, command: &'static [&'static str]) -> Scenario {
    Scenario {
        name,
        plan: Plan::Together(command),
        replays,
        races: None,
    }
}

pub const SCENARIOS: &[Scenario] = &[
    together(
        "redis",
        1,
        &["bash", "redis/together.sh", "WORK", "PORT1", "100000"],
    ),
    together(
        "redis-pipelined",
        2,
        &[
            "bash",
            "redis/together.sh",
            "WORK",
            "PORT1",
            "100000",
            "-P",
            "16",
        ],
    ),
    together(
        "redis-replica",
        2,
        &["bash", "redis/replica.sh", "WORK", "PORT1", "PORT2"],
    ),
    Scenario {
        races: Some("mosquitto_pub -l reads its state and the queue of packets without a lock"),
        ..together(
            "mosquitto",
            2,
            &["bash", "mosquitto/together.sh", "WORK", "PORT1"],
        )
    },
    together("nginx", 2, &["bash", "nginx/together.sh", "WORK", "PORT1"]),
    together(
        "asyncio",
        2,
        &["/usr/bin/python3", "python/echo.py", "5000", "10", "jitter"],
    ),
    together(
        "multiprocessing",
        2,
        &["/usr/bin/python3", "python/processes.py"],
    ),
    together("bash-jobs", 2, &["bash", "shell/jobs.sh", "WORK"]),
    together("make", 2, &["bash", "make/build.sh", "WORK"]),
    Scenario {
        name: "redis-alone",
        replays: 2,
        races: None,
        plan: Plan::Alone {
            prepare: None,
            server: &[
                "redis-server",
                "--port",
                "PORT1",
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                "WORK",
            ],
            clients: &["bash", "redis/clients.sh", "PORT1", "100000"],
            end: End::Command(&["redis-cli", "-p", "PORT1", "shutdown", "nosave"]),
        },
    },
    Scenario {
        name: "mosquitto-alone",
        replays: 2,
        races: None,
        plan: Plan::Alone {
            prepare: Some(&["bash", "mosquitto/prepare.sh", "WORK", "PORT1"]),
            server: &["mosquitto", "-c", "WORK/mosquitto.conf"],
            clients: &["bash", "mosquitto/clients.sh", "WORK", "PORT1"],
            end: End::Terminate,
        },
    },
    Scenario {
        name: "nginx-alone",
        replays: 2,
        races: None,
        plan: Plan::Alone {
            prepare: Some(&["bash", "nginx/prepare.sh", "WORK", "PORT1"]),
            server: &["nginx", "-e", "stderr", "-c", "WORK/nginx.conf"],
            clients: &["bash", "nginx/clients.sh", "WORK", "PORT1"],
            end: End::Terminate,
        },
    },
    together(
        "memcached",
        2,
        &["bash", "memcached/together.sh", "WORK", "PORT1", "800"],
    ),
    together(
        "redis-threads",
        1,
        &["bash", "redis/threads.sh", "WORK", "PORT1", "2000"],
    ),
    together("pool", 2, &["bash", "threads/pool.sh", "WORK"]),
    together("openmp", 2, &["bash", "threads/openmp.sh", "WORK"]),
    together("library", 2, &["bash", "threads/library.sh", "WORK"]),
    together("stress", 2, &["bash", "stress/threads.sh"]),
    together("gstreamer", 2, &["bash", "gstreamer/pipeline.sh", "WORK"]),
    together(
        "haproxy",
        2,
        &["bash", "haproxy/together.sh", "WORK", "PORT1"],
    ),
    together("postgres", 2, &["bash", "postgres/clients.sh", "WORK"]),
    together("pigz", 2, &["bash", "pigz/round.sh", "WORK"]),
    together(
        "python-threads",
        2,
        &["/usr/bin/python3", "python/threads.py"],
    ),
    Scenario {
        name: "memcached-alone",
        replays: 2,
        races: None,
        plan: Plan::Alone {
            prepare: None,
            server: &[
                "memcached",
                "-t",
                "4",
                "-l",
                "127.0.0.1",
                "-p",
                "PORT1",
                "-U",
                "0",
                "-u",
                "root",
            ],
            clients: &["bash", "memcached/clients.sh", "PORT1", "4000"],
            end: End::Terminate,
        },
    },
    Scenario {
        name: "redis-threads-alone",
        replays: 2,
        races: None,
        plan: Plan::Alone {
            prepare: None,
            server: &[
                "redis-server",
                "--port",
                "PORT1",
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                "WORK",
                "--io-threads",
                "4",
                "--io-threads-do-reads",
                "yes",
            ],
            clients: &["bash", "redis/clients.sh", "PORT1", "2000"],
            end: End::Command(&["redis-cli", "-p", "PORT1", "shutdown", "nosave"]),
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let names: HashSet<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
        assert_eq!(names.len(), SCENARIOS.len());
    }

    #[test]
    fn every_script_exists() {
        let directory = workspace::root().join("scripts/gauntlet");
        for scenario in SCENARIOS {
            let commands: Vec<&[&str]> = match &scenario.plan {
                Plan::Together(command) => vec![command],
                Plan::Alone {
                    prepare, clients, ..
                } => prepare.iter().copied().chain([*clients]).collect(),
            };
            for command in commands {
                assert!(
                    directory.join(command[1]).is_file(),
                    "{}: {}",
                    scenario.name,
                    command[1]
                );
            }
        }
    }
}
