//! Everything the workbench can do. One table gives each action its name (for `config.toml` and the
//! palette), its words (for help), the places it works in and the keys it starts with.

use std::ops::BitOr;

/// The places a key can be pressed in, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Where(u16);

impl Where {
    /// The question line.
    pub const QUESTION: Where = Where(1);
    /// The chips of what was read and set.
    pub const CHIPS: Where = Where(1 << 1);
    /// The funnel.
    pub const FUNNEL: Where = Where(1 << 2);
    /// The ranked pages.
    pub const RANKING: Where = Where(1 << 3);
    /// The page.
    pub const PAGE: Where = Where(1 << 4);
    /// A list with a filter line above it.
    pub const PICKER: Where = Where(1 << 5);
    /// A one-line prompt: find, go to page.
    pub const PROMPT: Where = Where(1 << 6);
    /// The help.
    pub const HELP: Where = Where(1 << 7);
    /// The panes of the workbench in which keys are commands.
    pub const PANES: Where = Where(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
    /// Where printable keys are text.
    pub const TEXT: Where = Where(1 | 1 << 5 | 1 << 6);
    /// The question line and the panes.
    pub const BENCH: Where = Where(Where::PANES.0 | 1);
    /// Everywhere.
    pub const ANY: Where = Where(0xff);

    /// True when the two share a place.
    pub fn meets(self, other: Where) -> bool {
        self.0 & other.0 != 0
    }

    /// The places of both.
    pub const fn and(self, other: Where) -> Where {
        Where(self.0 & other.0)
    }

    /// The places of either.
    pub const fn or(self, other: Where) -> Where {
        Where(self.0 | other.0)
    }

    /// These without those.
    pub const fn without(self, other: Where) -> Where {
        Where(self.0 & !other.0)
    }
}

impl BitOr for Where {
    type Output = Where;
    fn bitor(self, other: Where) -> Where {
        Where(self.0 | other.0)
    }
}

/// What is known of an action besides what it does.
#[derive(Debug)]
pub struct Info {
    /// The action.
    pub action: Action,
    /// Its name in `config.toml` and the palette.
    pub name: &'static str,
    /// Heading of the help it stands under.
    pub section: &'static str,
    /// What it does, in a few words.
    pub words: &'static str,
    /// One or two words for the footer.
    pub short: &'static str,
    /// Where it works.
    pub places: Where,
    /// Its keys, unless `config.toml` gives others.
    pub keys: &'static [&'static str],
}

macro_rules! actions {
    ($($section:literal { $($action:ident $name:literal $short:literal $words:literal $places:expr => [$($key:literal),*];)* })*) => {
        /// An action. The order is the order of the help.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $($(
                #[doc = $words]
                $action,
            )*)*
        }

        /// The table of actions, in the order of the help.
        pub static ACTIONS: &[Info] = &[
            $($(Info {
                action: Action::$action,
                name: $name,
                section: $section,
                words: $words,
                short: $short,
                places: $places,
                keys: &[$($key),*],
            },)*)*
        ];
    };
}

actions! {
    "Around the workbench" {
        Help "help" "help" "show the keys" Where::ANY => ["?", "f1"];
        Palette "palette" "commands" "find any command by name" Where::BENCH => [":", "ctrl-p"];
        Leave "leave" "quit" "leave" Where::PANES => ["q"];
        Quit "quit" "quit" "leave, from anywhere" Where::ANY => ["ctrl-c"];
        CloseHelp "close-help" "close" "close the help" Where::HELP => ["q", "enter"];
        Back "back" "back" "close what is open; from the question, go to the pages" Where::ANY => ["esc"];
        NextPane "next-pane" "next pane" "go to the next pane" Where::BENCH => ["tab"];
        PreviousPane "previous-pane" "previous pane" "go to the previous pane" Where::BENCH => ["backtab"];
        FocusQuestion "question" "question" "write in the question line" Where::PANES => ["i"];
        Questions "questions" "questions" "pick a labelled question" Where::BENCH => ["Q", "ctrl-o"];
        Filings "filings" "filings" "pick filings: open one, or search only some" Where::BENCH => ["F", "alt-o"];
        Fetch "fetch" "fetch" "fetch the 360 FinanceBench filings, or stop fetching" Where::BENCH => ["f9"];
        Mouse "mouse" "mouse" "turn the mouse on or off" Where::BENCH => ["m"];
        Redraw "redraw" "redraw" "draw the whole screen again" Where::BENCH => ["ctrl-l"];
        Suspend "suspend" "suspend" "go to the shell; `fg` comes back" Where::ANY => ["ctrl-z"];
    }
    "Switches" {
        SwitchCompany "switch-company" "company" "keep only the filings of the companies named" Where::BENCH => ["f2", "2"];
        SwitchPeriod "switch-period" "period" "keep only the filings of the period and form named" Where::BENCH => ["f3", "3"];
        SwitchRouting "switch-routing" "routing" "rank statement pages first when a statement is asked for" Where::BENCH => ["f4", "4"];
        SwitchNames "switch-names" "names out" "leave company names out of the query" Where::BENCH => ["f5", "5"];
        SwitchSignals "switch-signals" "signals" "rank by all signals, or by BM25 alone" Where::BENCH => ["f6", "6"];
        SwitchRetriever "switch-retriever" "retriever" "rank by words, by meaning, or by both" Where::BENCH => ["f7", "7"];
        SwitchSeveral "switch-several" "several" "search each year or company asked for on its own" Where::BENCH => ["f8", "8"];
    }
    "The question line" {
        Submit "submit" "to the pages" "keep the question in the history and go to the pages" Where::QUESTION => ["enter"];
        HistoryPrevious "history-previous" "earlier" "the question before" Where::QUESTION => ["up"];
        HistoryNext "history-next" "later" "the question after; below the newest, the pages" Where::QUESTION => ["down"];
        History "history" "history" "pick from all questions asked" Where::BENCH => ["H", "ctrl-r"];
        LineStart "line-start" "start" "to the start" Where::TEXT => ["ctrl-a", "home"];
        LineEnd "line-end" "end" "to the end" Where::TEXT => ["ctrl-e", "end"];
        LineLeft "line-left" "left" "one character left" Where::TEXT => ["left", "ctrl-b"];
        LineRight "line-right" "right" "one character right" Where::TEXT => ["right", "ctrl-f"];
        WordLeft "word-left" "word left" "one word left" Where::TEXT => ["alt-b", "ctrl-left", "alt-left"];
        WordRight "word-right" "word right" "one word right" Where::TEXT => ["alt-f", "ctrl-right", "alt-right"];
        DeleteBack "delete-back" "delete back" "delete the character before" Where::TEXT => ["backspace", "ctrl-h"];
        DeleteForward "delete-forward" "delete" "delete the character under the cursor" Where::TEXT => ["delete", "ctrl-d"];
        DeleteWordBack "delete-word-back" "delete word" "cut the word before" Where::TEXT => ["ctrl-w", "alt-backspace"];
        DeleteWordForward "delete-word-forward" "delete word" "cut the word after" Where::TEXT => ["alt-d"];
        CutToStart "cut-to-start" "cut to start" "cut all before the cursor" Where::TEXT => ["ctrl-u"];
        CutToEnd "cut-to-end" "cut to end" "cut all after the cursor" Where::TEXT => ["ctrl-k"];
        Yank "yank" "paste" "put back what was cut" Where::TEXT => ["ctrl-y"];
        Undo "undo" "undo" "undo" Where::TEXT => ["ctrl-_", "ctrl-/"];
        Redo "redo" "redo" "redo" Where::TEXT => ["alt-_", "alt-/"];
    }
    "Moving" {
        Down "down" "down" "one down" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["j", "down"];
        Up "up" "up" "one up" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["k", "up"];
        First "first" "first" "to the top" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["g", "home"];
        Last "last" "last" "to the bottom" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["G", "end"];
        HalfDown "half-down" "half down" "half a screen down" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["ctrl-d"];
        HalfUp "half-up" "half up" "half a screen up" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["ctrl-u"];
        PageDown "page-down" "screen down" "a screen down" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["pagedown", "space"];
        PageUp "page-up" "screen up" "a screen up" Where::FUNNEL.or(Where::RANKING).or(Where::PAGE).or(Where::HELP) => ["pageup"];
    }
    "Ranked pages and the page" {
        Open "open" "read" "read the selected page" Where::RANKING.or(Where::FUNNEL) => ["enter"];
        NextRanked "next-ranked" "next ranked" "the next page of the ranking" Where::RANKING.or(Where::PAGE) => ["J", "}"];
        PreviousRanked "previous-ranked" "previous ranked" "the page before it in the ranking" Where::RANKING.or(Where::PAGE) => ["K", "{"];
        NextPage "next-page" "next page" "the next page of the filing" Where::RANKING.or(Where::PAGE) => ["]"];
        PreviousPage "previous-page" "previous page" "the page before it in the filing" Where::RANKING.or(Where::PAGE) => ["["];
        GoToPage "go-to-page" "go to page" "go to a page by PDF number, or by printed number (p58)" Where::RANKING.or(Where::PAGE) => ["p"];
        Find "find" "find" "find in the page" Where::RANKING.or(Where::PAGE) => ["/"];
        NextMatch "next-match" "next match" "to the next match" Where::RANKING.or(Where::PAGE) => ["n"];
        PreviousMatch "previous-match" "previous match" "to the match before" Where::RANKING.or(Where::PAGE) => ["N"];
        Wrap "wrap" "wrap" "wrap long lines, or keep them whole" Where::RANKING.or(Where::PAGE) => ["w"];
        ScrollLeft "scroll-left" "left" "scroll left (lines kept whole)" Where::PAGE => ["h", "left"];
        ScrollRight "scroll-right" "right" "scroll right (lines kept whole)" Where::PAGE => ["l", "right"];
    }
    "The scope" {
        AddChip "add-scope" "add to scope" "set a company, year, form, quarter, filing, statement or Item by hand" Where::BENCH => ["a", "alt-a"];
        ChipLeft "chip-left" "left" "the chip to the left" Where::CHIPS => ["h", "left", "k", "up"];
        ChipRight "chip-right" "right" "the chip to the right" Where::CHIPS => ["l", "right", "j", "down"];
        RemoveChip "remove-chip" "remove" "remove the chip: what was read is ignored, what was set is gone" Where::CHIPS => ["x", "delete", "backspace"];
        PinChip "pin-chip" "pin" "keep what was read, whatever is asked next" Where::CHIPS => ["enter", "p"];
        ClearScope "clear-scope" "clear scope" "forget all that was set by hand" Where::BENCH => ["X", "alt-x"];
    }
    "Taking it away" {
        CopyCitation "copy-citation" "copy citation" "copy a citation of the page" Where::PANES => ["y"];
        CopyPage "copy-page" "copy page" "copy the text of the page" Where::PANES => ["Y"];
        CopyResults "copy-results" "copy results" "copy the ranked pages as Markdown" Where::PANES => ["C"];
        Export "export" "export" "write the result to a file: Markdown, CSV or JSONL" Where::PANES => ["e"];
        SaveSearch "save-search" "save search" "save question, switches and scope" Where::PANES => ["s"];
        SavedSearches "saved-searches" "saved searches" "pick a saved search" Where::PANES => ["S"];
        OpenOriginal "open-original" "open original" "open the original at this page in the system viewer" Where::RANKING.or(Where::PAGE) => ["o"];
        ViewInPager "view-in-pager" "pager" "read the page text in $PAGER" Where::RANKING.or(Where::PAGE) => ["v"];
        ViewInEditor "view-in-editor" "editor" "open the page text in $EDITOR" Where::RANKING.or(Where::PAGE) => ["V"];
    }
    "In a list with a filter" {
        PickDown "pick-down" "down" "one down" Where::PICKER => ["down", "ctrl-n"];
        PickUp "pick-up" "up" "one up" Where::PICKER => ["up", "ctrl-p"];
        PickPageDown "pick-page-down" "screen down" "a screen down" Where::PICKER => ["pagedown"];
        PickPageUp "pick-page-up" "screen up" "a screen up" Where::PICKER => ["pageup"];
        PickMark "pick-mark" "mark" "mark a filing for the scope" Where::PICKER => ["tab"];
        Pick "pick" "take" "take the selected line (or the marked ones)" Where::PICKER.or(Where::PROMPT) => ["enter"];
        PickRemove "pick-remove" "delete" "delete the selected saved search" Where::PICKER => ["alt-x"];
    }
}

impl Action {
    /// What is known of it.
    pub fn info(self) -> &'static Info {
        &ACTIONS[self as usize]
    }

    /// The action of this name.
    pub fn by_name(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|i| i.name == name).map(|i| i.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_names_are_unique() {
        for (ix, info) in ACTIONS.iter().enumerate() {
            assert_eq!(info.action as usize, ix, "{}", info.name);
            assert_eq!(Action::by_name(info.name), Some(info.action));
            assert!(!info.keys.is_empty(), "{} has no key", info.name);
        }
    }
}
