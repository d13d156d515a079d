//! The vocabulary of generated tools: tens of thousands of words, a few frequent and most rare, as
//! in real texts.

use crate::random::SplitMix64;

const VERBS: &str = "\
    create list search update delete read write send fetch export import merge split start stop restart schedule \
    cancel assign archive restore share upload download convert translate summarize validate compare rename move \
    copy publish subscribe approve reject monitor measure estimate forecast render resize encrypt rotate revoke \
    grant lock tag group sort count sample trace replay deploy scale drain query explain index";

const NOUNS: &str = "\
    account address agreement alert answer archive article attachment balance batch board booking branch bucket \
    budget build calendar campaign card cart case channel charge chart cluster column comment commit company contact \
    container contract coupon customer dashboard dataset deal delivery device document domain draft email employee \
    event expense experiment feature field file filter flag folder form graph group host image incident instance \
    invoice item job journal key label layer ledger license link log machine mailbox meeting member message metric \
    milestone model module namespace network node note object offer order package page panel parcel payment \
    permission person pipeline place plan playlist policy post price product profile project query queue receipt \
    record region release report repository request resource review role room route row rule schedule schema secret \
    segment sensor server session sheet shipment snapshot source sprint stage station status stock store stream \
    subscription survey table tag task team template tenant test thread ticket token topic track transaction \
    transcript trip user variant vault vehicle version video view volume warehouse webhook workflow workspace zone";

const HEADS: &str = "\
    aero agro allo amphi anti archi astro auto baro biblio bio cardio chrono co cosmo crypto cyber demo derma eco \
    electro endo epi ethno eu exo geo glyco helio hemo hetero holo homo hydro hyper iso kilo litho macro mega meta \
    micro mono morpho multi nano neo neuro omni ortho paleo para petro photo poly proto pseudo psycho quasi radio \
    retro seismo socio sono spectro stereo sub super syn techno tele thermo topo trans ultra uni vibro xeno zoo zygo";

const MIDDLES: &str = "\
    bar cast centr chem chrom cline cycl derm dox drom dynam fact form fract gen glyph gon gram graph grav kinet \
    lect lex lith log lumin mant meter morph naut nom ocul path phon plasm pod pol port scop sect som spher stat \
    strat struct tact tax therm ton top tract trop typ vect vers vis vit vol volt zon";

const TAILS: &str = "\
    al er ia ic ine ism ist ity ium ology";

/// The size of the vocabulary: the plain words, filled up with made-up ones.
const SIZE: usize = 40_000;

/// All words, the most frequent first.
pub(super) struct WordList {
    all: Vec<String>,
    /// The cumulative frequency up to each word.
    shares: Vec<f64>,
    nouns: Vec<&'static str>,
    verbs: Vec<&'static str>,
}

impl WordList {
    pub(super) fn new(chance: &mut SplitMix64) -> Self {
        let (nouns, verbs) =
            (NOUNS.split(' ').collect::<Vec<_>>(), VERBS.split(' ').collect::<Vec<_>>());
        let plain = nouns.iter().chain(&verbs).map(ToString::to_string);
        let all: Vec<String> = plain.chain(made_up(chance)).take(SIZE).collect();
        let shares = shares(all.len());
        Self { all, shares, nouns, verbs }
    }

    /// A random word, weighted by frequency.
    pub(super) fn any(&self, chance: &mut SplitMix64) -> &str {
        let share = chance.share();
        &self.all[self.shares.partition_point(|item| *item < share).min(self.all.len() - 1)]
    }

    /// A random word, unweighted: the topic words of a text are mostly rare.
    pub(super) fn rare(&self, chance: &mut SplitMix64) -> &str {
        &self.all[chance.below(self.all.len())]
    }

    pub(super) fn noun(&self, chance: &mut SplitMix64) -> &'static str {
        chance.one_of(&self.nouns)
    }

    pub(super) fn verb(&self, chance: &mut SplitMix64) -> &'static str {
        chance.one_of(&self.verbs)
    }
}

fn made_up(chance: &mut SplitMix64) -> Vec<String> {
    let parts = |text: &'static str| text.split(' ');
    let stems =
        parts(HEADS).flat_map(|head| parts(MIDDLES).map(move |value| format!("{head}{value}")));
    let mut all: Vec<String> =
        stems.flat_map(|stem| parts(TAILS).map(move |tail| format!("{stem}{tail}"))).collect();
    chance.shuffle(&mut all);
    all
}

/// Zipf's law: the word of rank two is about half as frequent as that of rank one.
fn shares(count: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = (0..count).map(|rank| {
        sum += 1.0 / (rank as f64 + 2.7).powf(1.05);
        sum
    });
    let sums: Vec<f64> = sums.collect();
    sums.into_iter().map(|item| item / sum).collect()
}
