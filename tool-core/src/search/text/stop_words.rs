//! Words that say that something is wanted, not what: dropped everywhere but in names.

/// English function words and words of asking.
pub(super) const STOP_WORDS: &str = "
a an and are as at be by for from in is it of on or that the to with i me my we our you your he she they them their its
this these those there here was were been being am do does did doing have has had having will would shall should can
could may might must not no nor so than then too very just about into over under again also but if because while what
which who whom how when where why please help want need like lets let us know tell give hi hello thanks thank";
