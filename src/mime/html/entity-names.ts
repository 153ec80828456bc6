// The names of character references that mail uses, and what they mean.

/** Name and character by turns. HTML has always had these: they count without their semicolon too. */
const OLD =
  'amp & lt < gt > quot " nbsp \u00a0 iexcl ¡ cent ¢ pound £ curren ¤ yen ¥ brvbar ¦ sect § uml ¨ ' +
  "copy © ordf ª laquo « not ¬ shy \u00ad reg ® macr ¯ deg ° plusmn ± sup2 ² sup3 ³ acute ´ micro µ " +
  "para ¶ middot · cedil ¸ sup1 ¹ ordm º raquo » frac14 ¼ frac12 ½ frac34 ¾ iquest ¿ Agrave À Aacute Á " +
  "Acirc Â Atilde Ã Auml Ä Aring Å AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì Iacute Í " +
  "Icirc Î Iuml Ï ETH Ð Ntilde Ñ Ograve Ò Oacute Ó Ocirc Ô Otilde Õ Ouml Ö times × Oslash Ø Ugrave Ù " +
  "Uacute Ú Ucirc Û Uuml Ü Yacute Ý THORN Þ szlig ß agrave à aacute á acirc â atilde ã auml ä aring å " +
  "aelig æ ccedil ç egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï eth ð ntilde ñ " +
  "ograve ò oacute ó ocirc ô otilde õ ouml ö divide ÷ oslash ø ugrave ù uacute ú ucirc û uuml ü " +
  'yacute ý thorn þ yuml ÿ AMP & LT < GT > QUOT " COPY © REG ®';

/** The same of those that need it. */
const OTHERS =
  "apos ' fnof ƒ circ ˆ tilde ˜ ensp \u2002 emsp \u2003 " +
  "thinsp \u2009 zwnj \u200c zwj \u200d lrm \u200e rlm \u200f ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ " +
  "ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › " +
  "oline ‾ frasl ⁄ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ minus − infin ∞ asymp ≈ ne ≠ le ≤ " +
  "ge ≥ check ✓ star ☆ phone ☎ hearts ♥ spades ♠ clubs ♣ diams ♦ loz ◊ num # colon : comma , period . " +
  "excl ! quest ? lpar ( rpar ) lsqb [ rsqb ] commat @ dollar $ percnt % sol / bsol \\ equals = plus + " +
  "ast * lowbar _ hyphen ‐ dash ‐ semi ; Tab \t NewLine \n zwsp \u200b alefsym ℵ and ∧ ang ∠ cap ∩ " +
  "cong ≅ crarr ↵ cup ∪ dArr ⇓ empty ∅ equiv ≡ exist ∃ forall ∀ hArr ⇔ image ℑ int ∫ isin ∈ lArr ⇐ " +
  "lang ⟨ lceil ⌈ lfloor ⌊ lowast ∗ nabla ∇ ni ∋ notin ∉ nsub ⊄ oplus ⊕ or ∨ otimes ⊗ part ∂ perp ⊥ " +
  "piv ϖ prod ∏ prop ∝ rArr ⇒ radic √ rang ⟩ rceil ⌉ real ℜ rfloor ⌋ sdot ⋅ sim ∼ sub ⊂ sube ⊆ sum ∑ " +
  "sup ⊃ supe ⊇ there4 ∴ thetasym ϑ uArr ⇑ upsih ϒ weierp ℘ ZeroWidthSpace \u200b NoBreak \u2060 " +
  "hairsp \u200a numsp \u2007 checkmark ✓ cross ✗ starf ★";

/** Further names that PHP and others write for HTML 5, some for what has an older one. */
const NEWER =
  "lbrack [ rbrack ] lcub { lbrace { rcub } rbrace } verbar | vert | VerticalLine | Hat ^ grave ` " +
  "UnderBar _ half ½ pm ± PlusMinus ± die ¨ div ÷ bullet • mldr … centerdot · CenterDot · ldquor „ " +
  "rdquor ” lsquor ‚ rsquor ’ OpenCurlyQuote ‘ CloseCurlyQuote ’ OpenCurlyDoubleQuote “ " +
  "CloseCurlyDoubleQuote ” ddagger ‡ TRADE ™ circledR ® leftarrow ← rightarrow → uparrow ↑ downarrow ↓ " +
  "LeftArrow ← RightArrow → UpArrow ↑ DownArrow ↓ bigstar ★ female ♀ male ♂ numero № sung ♪ leq ≤ geq ≥ " +
  "approx ≈ horbar ― block █ squ □ square □ squf ▪ blacksquare ▪ utrif ▴ dtrif ▾ ltrif ◂ rtrif ▸ " +
  "blacktriangleright ▸ blacktriangledown ▾ cir ○ bigcirc ◯ filig ﬁ fllig ﬂ fflig ﬀ ffilig ﬃ ffllig ﬄ " +
  "frac13 ⅓ frac23 ⅔ frac15 ⅕ frac25 ⅖ frac35 ⅗ frac45 ⅘ frac16 ⅙ frac56 ⅚ frac18 ⅛ frac38 ⅜ frac58 ⅝ " +
  "frac78 ⅞ puncsp \u2008 emsp13 \u2004 emsp14 \u2005 ThinSpace \u2009 NonBreakingSpace \u00a0";

/** The names of characters that follow each other: Latin, Greek, Cyrillic; "-" where one has none. */
const RUNS: readonly [first: number, names: string][] = [
  [
    0x100,
    "Amacr amacr Abreve abreve Aogon aogon Cacute cacute Ccirc ccirc Cdot cdot Ccaron ccaron Dcaron " +
      "dcaron Dstrok dstrok Emacr emacr - - Edot edot Eogon eogon Ecaron ecaron Gcirc gcirc Gbreve gbreve " +
      "Gdot gdot Gcedil - Hcirc hcirc Hstrok hstrok Itilde itilde Imacr imacr - - Iogon iogon Idot imath " +
      "IJlig ijlig Jcirc jcirc Kcedil kcedil kgreen Lacute lacute Lcedil lcedil Lcaron lcaron Lmidot " +
      "lmidot Lstrok lstrok Nacute nacute Ncedil ncedil Ncaron ncaron napos ENG eng Omacr omacr - - " +
      "Odblac odblac OElig oelig Racute racute Rcedil rcedil Rcaron rcaron Sacute sacute Scirc scirc " +
      "Scedil scedil Scaron scaron Tcedil tcedil Tcaron tcaron Tstrok tstrok Utilde utilde Umacr umacr " +
      "Ubreve ubreve Uring uring Udblac udblac Uogon uogon Wcirc wcirc Ycirc ycirc Yuml Zacute zacute " +
      "Zdot zdot Zcaron zcaron",
  ],
  [
    0x391,
    "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma " +
      "Tau Upsilon Phi Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota " +
      "kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega",
  ],
  [
    0x401,
    "IOcy DJcy GJcy Jukcy DScy Iukcy YIcy Jsercy LJcy NJcy TSHcy KJcy - Ubrcy DZcy Acy Bcy Vcy Gcy Dcy " +
      "IEcy ZHcy Zcy Icy Jcy Kcy Lcy Mcy Ncy Ocy Pcy Rcy Scy Tcy Ucy Fcy KHcy TScy CHcy SHcy SHCHcy " +
      "HARDcy Ycy SOFTcy Ecy YUcy YAcy acy bcy vcy gcy dcy iecy zhcy zcy icy jcy kcy lcy mcy ncy ocy pcy " +
      "rcy scy tcy ucy fcy khcy tscy chcy shcy shchcy hardcy ycy softcy ecy yucy yacy - iocy djcy gjcy " +
      "jukcy dscy iukcy yicy jsercy ljcy njcy tshcy kjcy - ubrcy dzcy",
  ],
];

function* byTurns(pairs: string): Generator<[name: string, char: string]> {
  const words = pairs.split(" ");
  for (let at = 0; at + 1 < words.length; at += 2) yield [words[at] as string, words[at + 1] as string];
}

const oldNames = new Map(byTurns(OLD));
const names = new Map([...oldNames, ...byTurns(OTHERS), ...byTurns(NEWER)]);
for (const [first, run] of RUNS) {
  for (const [at, name] of run.split(" ").entries()) names.set(name, String.fromCharCode(first + at));
}
names.delete("-");

/** What a reference by name means; undefined where it is only text. */
export const namedCharacter = (name: string, isClosed: boolean): string | undefined =>
  (isClosed ? names : oldNames).get(name);
