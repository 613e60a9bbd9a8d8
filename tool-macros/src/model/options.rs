//! What the keys mean together.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{LitStr, Signature};

use super::{Execution, Hints, Options};
use crate::{args::ToolArgs, diagnostics::Faults, keys::Flag};

impl Options {
    pub(super) fn validate(args: ToolArgs, faults: &mut Faults) -> Self {
        let grouped = args.group.is_some();
        if let Some(key) = set_to(args.defer_loading.as_ref(), false).filter(|_| grouped) {
            faults.add(
                key,
                "a tool with a `group` is always deferred",
                "remove `defer_loading`, or the group",
            );
        }
        let discovery = set_to(args.discovery.as_ref(), true);
        if let Some(key) = discovery.filter(|_| grouped || is_set(args.defer_loading.as_ref())) {
            let what = "a discovery tool cannot be deferred: it is what finds deferred tools";
            faults.add(key, what, "remove `discovery`, or `defer_loading` and `group`");
        }
        Self {
            deferred: grouped || is_set(args.defer_loading.as_ref()),
            discovery: discovery.is_some(),
            requires_approval: is_set(args.requires_approval.as_ref()),
            hints: Hints {
                read_only: args.read_only.map(|flag| flag.value),
                destructive: args.destructive.map(|flag| flag.value),
                idempotent: args.idempotent.map(|flag| flag.value),
                open_world: args.open_world.map(|flag| flag.value),
            },
            timeout: args.timeout.and_then(|literal| timeout(&literal, faults)),
            title: args.title,
            group: args.group,
            keywords: args.keywords.unwrap_or_default(),
            enabled: args.enabled,
        }
    }
}

/// How the body runs.
pub(super) fn execution(args: &ToolArgs, sig: &Signature, faults: &mut Faults) -> Execution {
    match (set_to(args.blocking.as_ref(), true), sig.asyncness) {
        (Some(key), Some(_)) => {
            let help = "remove `blocking`, or `async` from the function";
            faults.add(key, "`blocking` is for functions that are not `async`", help);
            Execution::Async
        }
        (Some(_), None) => Execution::Blocking,
        (None, Some(_)) => Execution::Async,
        (None, None) => Execution::Sync,
    }
}

fn is_set(flag: Option<&Flag>) -> bool {
    set_to(flag, true).is_some()
}

/// The key, if the flag is written with this value.
fn set_to(flag: Option<&Flag>, value: bool) -> Option<&Ident> {
    flag.filter(|flag| flag.value == value).map(|flag| &flag.key)
}

fn timeout(literal: &LitStr, faults: &mut Faults) -> Option<Duration> {
    let text = literal.value();
    let help = "write a whole number and a unit: `\"500ms\"`, `\"30s\"` or `\"2m\"`";
    let Some(millis) = milliseconds(&text) else {
        faults.add(literal, format_args!("`{text}` is not a time-out"), help);
        return None;
    };
    if millis == 0 {
        faults.add(
            literal,
            "with a time-out of nothing no call can end well",
            "write a longer one, or remove the key",
        );
        return None;
    }
    Some(Duration::from_millis(millis))
}

fn milliseconds(text: &str) -> Option<u64> {
    let (number, factor) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1_000)
    } else {
        (text.strip_suffix('m')?, 60_000)
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn time_outs_are_whole_numbers_with_a_unit() {
        assert_eq!(milliseconds("500ms"), Some(500));
        assert_eq!(milliseconds("30s"), Some(30_000));
        assert_eq!(milliseconds("2m"), Some(120_000));
        for wrong in [
            "",
            "30",
            "s",
            "30 s",
            "-1s",
            "+1s",
            "1.5s",
            "2h",
            "99999999999999999999s",
            "9999999999999999999m",
        ] {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }
}
