//! How long a source may take, and how soon it is asked again.

use std::time::Duration;

/// Time-outs and retries of one source.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::SourceSettings;
///
/// let slow = SourceSettings::new().list_timeout(Duration::from_secs(90)).call_timeout(Duration::from_secs(600));
/// ```
#[derive(Debug, Clone)]
pub struct SourceSettings {
    pub(crate) list_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) close_timeout: Duration,
    pub(crate) first_retry: Duration,
    pub(crate) longest_retry: Duration,
}

impl Default for SourceSettings {
    fn default() -> Self {
        Self {
            list_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(120),
            close_timeout: Duration::from_secs(5),
            first_retry: Duration::from_secs(1),
            longest_retry: Duration::from_secs(60),
        }
    }
}

impl SourceSettings {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How long connecting and listing may take together: 30 s unless set.
    #[must_use]
    pub fn list_timeout(mut self, timeout: Duration) -> Self {
        self.list_timeout = timeout;
        self
    }

    /// How long one call may take: 120 s unless set.
    #[must_use]
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout;
        self
    }

    /// How long closing may take: 5 s unless set.
    #[must_use]
    pub fn close_timeout(mut self, timeout: Duration) -> Self {
        self.close_timeout = timeout;
        self
    }

    /// How soon a source that failed is asked again, and the longest wait, to which each failure in a row doubles it: 1 s
    /// and 60 s unless set.
    #[must_use]
    pub fn retry(mut self, first: Duration, longest: Duration) -> Self {
        (self.first_retry, self.longest_retry) = (first, longest);
        self
    }

    /// Why the settings cannot work.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let zero = [self.list_timeout, self.call_timeout].iter().any(Duration::is_zero);
        zero.then_some("a time-out of its source is zero: nothing could end in time")
    }

    /// How long to wait after so many failures in a row.
    pub(crate) fn retry_after(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        // Never at once: a source that fails at once would be asked without a pause.
        let shortest = Duration::from_millis(1);
        self.first_retry.saturating_mul(doubled).min(self.longest_retry).max(shortest)
    }
}
