//! A small library in memory: two companies, three filings, pages with a real ranking by words.

use std::ops::Range;
use std::thread;
use std::time::Duration;

use crate::eval::{Evidence, Question, Split};
use crate::library::{Filing, Form, PageId, PageQuality, PageText};
use crate::question::{CompanyMention, Reading, Statement, StatementMention, YearMention};
use crate::search::{
    About, KeptFiling, Outcome, Pages, QueryTerm, RankedPage, Reason, Retriever, Scored, Settings,
    Snippet, Stage, StageKind,
};
use crate::tui::finder::Finder;

pub struct Fake {
    filings: Vec<Filing>,
    pages: Vec<Vec<&'static str>>,
    slow: Duration,
    changed: bool,
}

const ACME_2021: &[&str] = &[
    "Acme Tools Inc\nAnnual report on Form 10-K\nFiscal year ended January 1, 2022\n",
    "Acme Tools Inc\nConsolidated Statement of Income\n(Millions)        2021     2020\nNet sales      $ 1,204  $ 1,180\nCost of sales      702      690\n",
];
const ACME_2022: &[&str] = &[
    "Acme Tools Inc\nAnnual report on Form 10-K\nFiscal year ended December 31, 2022\n",
    "Item 7. Management's Discussion\nNet sales rose 4% as prices rose, while volumes fell in the second half of the year because several large customers had built up stock the year before and were slow to order again.\n日本語の売上高も増えた。\n",
    "Acme Tools Inc\nConsolidated Statement of Income\nYears ended December 31\n(Millions)                                   2022       2021       2020\nNet sales                                 $ 1,251    $ 1,204    $ 1,180\nCost of sales                                 731        702        690\nGross profit                                  520        502        490\nNet income                                $   120    $   115    $   109\n",
    "Acme Tools Inc\nConsolidated Balance Sheet\nTotal assets   $ 2,310   $ 2,204\n",
];
const BOLT_2022: &[&str] = &[
    "Bolt & Nut Co\nQuarterly report on Form 10-Q\nQuarter ended June 30, 2022\n",
    "Bolt & Nut Co\nStatement of Operations\nNet sales   310   298\nNet loss   (12)   (9)\n",
    "",
];

impl Fake {
    pub fn new() -> Fake {
        let filing = |doc_name: &str,
                      company: &str,
                      form: Form,
                      year: u16,
                      quarter,
                      pages: &[&str]| {
            let quarter: Option<u8> = quarter;
            // The year that ends on the Saturday nearest the end of December.
            let ended = match (form, year) {
                (Form::TenK, 2021) => Some("2022-01-01"),
                (Form::TenK, _) => Some("2022-12-31"),
                _ => None,
            };
            serde_json::from_value::<Filing>(serde_json::json!({
                "doc_name": doc_name, "company": company, "form": form, "fiscal_year": year,
                "quarter": quarter, "cover_date": ended, "pages": pages.len(), "text_from": "demo", "text_sha256": "",
            }))
            .expect("a filing's record")
        };
        Fake {
            filings: vec![
                filing("ACME_2021_10K", "Acme", Form::TenK, 2021, None, ACME_2021),
                filing("ACME_2022_10K", "Acme", Form::TenK, 2022, None, ACME_2022),
                filing(
                    "BOLT_2022Q2_10Q",
                    "Bolt & Nut",
                    Form::TenQ,
                    2022,
                    Some(2),
                    BOLT_2022,
                ),
            ],
            pages: vec![ACME_2021.to_vec(), ACME_2022.to_vec(), BOLT_2022.to_vec()],
            slow: Duration::ZERO,
            changed: false,
        }
    }

    /// Its first filing was removed: the others have other ordinals.
    pub fn without_first(mut self) -> Fake {
        self.filings.remove(0);
        self.pages.remove(0);
        self
    }

    /// It has changed on disk.
    pub fn changed(mut self) -> Fake {
        self.changed = true;
        self
    }

    pub fn slow(mut self, by: Duration) -> Fake {
        self.slow = by;
        self
    }

    pub fn questions() -> Vec<Question> {
        let question =
            |id: &str, split, text: &str, doc_name: &str, page, passage: &str| Question {
                id: id.into(),
                text: text.into(),
                doc_name: doc_name.into(),
                gold_pages: vec![page],
                split: Some(split),
                kind: String::new(),
                company: String::new(),
                answer: String::new(),
                evidence: vec![Evidence {
                    page,
                    text: passage.into(),
                    full_page_text: String::new(),
                }],
                set: "demo".into(),
            };
        vec![
            question(
                "financebench_id_00001",
                Split::Dev,
                "What were Acme's net sales in FY2022? See the income statement.",
                "ACME_2022_10K",
                2,
                "Net sales\n$\n1,251\n$\n1,204",
            ),
            question(
                "financebench_id_00002",
                Split::Test,
                "Did Bolt & Nut make a loss in the second quarter of 2022?",
                "BOLT_2022Q2_10Q",
                1,
                "Net loss (12)",
            ),
        ]
    }

    fn words(question: &str, settings: &Settings) -> Vec<String> {
        question
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase)
            .filter(|w| w.len() > 2 && !["the", "what", "were", "see", "did"].contains(&w.as_str()))
            .filter(|w| !(settings.strip_names && ["acme", "bolt", "nut"].contains(&w.as_str())))
            .collect()
    }

    fn read(question: &str) -> Reading {
        let mut reading = Reading::default();
        let at = |word: &str| question.find(word).map(|ix| ix..ix + word.len());
        for (word, company) in [("Acme", "Acme"), ("Bolt & Nut", "Bolt & Nut")] {
            if let Some(span) = at(word) {
                reading.companies.push(CompanyMention {
                    company: company.into(),
                    span,
                    or: Vec::new(),
                    brand: false,
                    misspelt: false,
                });
            }
        }
        for year in [2020, 2021, 2022u16] {
            if let Some(span) = at(&year.to_string()) {
                reading.years.push(YearMention {
                    year,
                    span,
                    fiscal: false,
                });
            }
        }
        for statement in Statement::ALL {
            if let Some(span) = at(statement.as_str()) {
                reading.statements.push(StatementMention {
                    statement,
                    named: true,
                    span,
                });
            }
        }
        reading
    }
}

impl Pages for Fake {
    fn filings(&self) -> &[Filing] {
        &self.filings
    }

    fn page(&self, page: PageId) -> Result<PageText, String> {
        let text = self.pages[page.filing as usize][page.page as usize];
        Ok(PageText {
            text: text.into(),
            quality: if text.is_empty() {
                PageQuality::Empty
            } else {
                PageQuality::Ok
            },
        })
    }

    fn snippet(&self, outcome: &Outcome, page: &RankedPage) -> Snippet {
        let text = self.pages[page.page.filing as usize][page.page.page as usize];
        let line = text
            .lines()
            .max_by_key(|l| self.marks(outcome, l).len())
            .unwrap_or("");
        Snippet {
            text: line.into(),
            marks: self.marks(outcome, line),
        }
    }
}

impl Fake {
    fn ranked(&self, rank: usize, s: &Scored) -> RankedPage {
        RankedPage {
            rank,
            page: s.page,
            doc_name: self.filings[s.page.filing as usize].doc_name.clone(),
            about: self.about(s.page),
            routed: s.tier > 0,
            score: s.score,
            reasons: vec![Reason {
                signal: "words".into(),
                words: "words of the question".into(),
                value: s.score,
                weight: 1.0,
                contribution: s.score,
            }],
        }
    }
}

impl Finder for Fake {
    fn search(&self, question: &str, settings: &Settings) -> Outcome {
        thread::sleep(self.slow);
        assert!(!question.contains("panic"), "asked to");
        let reading = Fake::read(question);
        let mut kept: Vec<u32> = (0..self.filings.len() as u32).collect();
        let mut funnel = Vec::new();
        let mut stage = |stage, kept: &[u32], words: &str, active| {
            funnel.push(Stage {
                stage,
                filings: kept.len(),
                pages: kept
                    .iter()
                    .map(|&f| self.filings[f as usize].pages as usize)
                    .sum(),
                kept: words.into(),
                active,
                ordinals: kept.to_vec(),
                reasons: kept
                    .iter()
                    .map(|&f| KeptFiling {
                        doc_name: self.filings[f as usize].doc_name.clone(),
                        score: 0.0,
                        why: "asked for".into(),
                    })
                    .collect(),
            });
        };
        stage(StageKind::All, &kept, "", true);
        let companies: Vec<String> = match &settings.scope.companies {
            set if !set.is_empty() => set.clone(),
            _ => reading
                .companies
                .iter()
                .map(|c| c.company.clone())
                .collect(),
        };
        let by_company = settings.company && !companies.is_empty();
        if by_company {
            kept.retain(|&f| companies.contains(&self.filings[f as usize].company));
        }
        stage(StageKind::Company, &kept, &companies.join(", "), by_company);
        let year = reading.latest_year();
        let by_year = settings.year && year.is_some();
        if by_year {
            kept.retain(|&f| self.filings[f as usize].fiscal_year == year);
        }
        let words = year.map(|y| format!("FY{y}")).unwrap_or_default();
        stage(StageKind::Year, &kept, &words, by_year);
        if !settings.scope.filings.is_empty() {
            kept = (0..self.filings.len() as u32)
                .filter(|&f| {
                    settings
                        .scope
                        .filings
                        .contains(&self.filings[f as usize].doc_name)
                })
                .collect();
        }
        stage(StageKind::Form, &kept, "", false);
        stage(StageKind::Pages, &kept, "", true);
        let routed = settings.routing && !reading.statements.is_empty();
        stage(StageKind::Routed, &kept, "income statement", routed);
        let terms = Fake::words(question, settings);
        let mut scored: Vec<Scored> = kept
            .iter()
            .flat_map(|&f| {
                (0..self.filings[f as usize].pages).map(move |page| PageId { filing: f, page })
            })
            .filter_map(|page| {
                let text = self.pages[page.filing as usize][page.page as usize].to_lowercase();
                let score = terms
                    .iter()
                    .map(|t| text.matches(t.as_str()).count())
                    .sum::<usize>() as f64;
                let tier = (routed && self.about(page).statement == Some(Statement::Income)) as u8;
                (score > 0.0 || tier > 0).then_some(Scored { page, tier, score })
            })
            .collect();
        scored.sort_by(|a, b| a.before(b));
        let ranked = scored
            .iter()
            .take(settings.k)
            .enumerate()
            .map(|(ix, scored)| self.ranked(ix + 1, scored))
            .collect();
        let term = |term| QueryTerm {
            term,
            df: 1,
            idf: 1.0,
        };
        Outcome {
            question: question.into(),
            settings: settings.clone(),
            reading,
            funnel,
            terms: terms.into_iter().map(term).collect(),
            average_length: 1.0,
            ranked,
            scored,
            micros: 1234,
            ..Outcome::default()
        }
    }

    fn marks(&self, outcome: &Outcome, text: &str) -> Vec<Range<usize>> {
        let lower = text.to_ascii_lowercase();
        let mut marks: Vec<Range<usize>> = outcome
            .terms
            .iter()
            .flat_map(|t| {
                lower
                    .match_indices(t.term.as_str())
                    .map(|(ix, m)| ix..ix + m.len())
                    .collect::<Vec<_>>()
            })
            .collect();
        marks.sort_by_key(|m| m.start);
        marks
    }

    fn about(&self, page: PageId) -> About {
        let text = self.pages[page.filing as usize][page.page as usize];
        About {
            printed_page: (page.page > 0).then(|| page.page.to_string()),
            statement: match text {
                t if t.contains("Statement of Income") || t.contains("Statement of Operations") => {
                    Some(Statement::Income)
                }
                t if t.contains("Balance Sheet") => Some(Statement::Balance),
                _ => None,
            },
            item: text.contains("Item 7").then(|| "7".into()),
            heading: text.lines().next().map(str::to_string),
            kind: kind(text),
        }
    }

    fn has_changed(&self) -> bool {
        self.changed
    }

    fn retrievers(&self) -> Vec<Retriever> {
        vec![Retriever::Bm25, Retriever::Hybrid]
    }
}

fn kind(text: &str) -> Option<String> {
    let kind = crate::structure::page_kind(text).as_str();
    (!kind.is_empty()).then(|| kind.to_string())
}
