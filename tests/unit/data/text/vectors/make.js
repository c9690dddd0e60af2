// SPDX-License-Identifier: BSL-1.0
// Writes the files beside it, with Hugging Face's tokenizers: npm install --ignore-scripts tokenizers@0.23.2, then
// node make.js. A line of a .txt is a text, its numbers, those with special tokens, and what they are decoded to without
// and with special tokens; texts are hexadecimal.
const { Tokenizer, BPE, WordPiece, AddedToken, ...words } = require("tokenizers");
const fs = require("fs");

let state = 7;
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
};
const pick = (all) => all[Math.floor(random() * all.length)];
const pools = [
  "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", " ", " \n\t\r", "0123456789", ".,;:!?\"()[]{}<>-_+=*&^%$#@~`|\\/", "'",
  "éèêëàâäôöùüçñÉÈÀÔŁłßøØåÅ", "\u0301\u0308\u0327\u0338", "αβγδεζηθΑΒΓΔΣσς", "абвгдеёйАБВГДЕЁ", "אבגדהו", "ابتثجحخ", "नमस्ते", "สวัสดี",
  "你好世界中文字", "日本語ひらがなカタカナ", "한국어", "🙂🚀👍🏽👩‍🚀🇫🇷", "½¼²³¹٠١٢٣Ⅷⅷ", "\u00a0\u3000\u2003\u2028\u0085\u1680\u202f",
  "\u200b\u200d\ufeff\u00ad\u200e", "‘’“”—–…«»¡¿€£¥₹", "İıŞşĞğﬁﬂﷺ㎏Ⓐ", "\u{20000}\u{2a700}\u{2f800}\uf900", "\u0000\u0001\u001f\u007f\u0080\ufffd\ue000",
].map((pool) => [...pool]);
const phrases = ["the", " the", "hello", " world", "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "ing", " and"];
const text = (most, marks) => {
  let made = "";
  for (let i = 1 + Math.floor(random() * most); i > 0; --i) {
    const chance = random();
    if (chance < 0.2) made += pick(phrases);
    else if (chance < 0.35 && marks.length) made += pick(marks) + pick(["", " ", "\n"]);
    else for (let pool = pick(pools), j = Math.floor(random() * 4); j >= 0; --j) made += pick(pool);
  }
  return made;
};

async function write(name, json, marks) {
  fs.writeFileSync(name + ".json", JSON.stringify(json));
  const tokenizer = Tokenizer.fromString(JSON.stringify(json));
  const hex = (s) => Buffer.from(s, "utf8").toString("hex");
  let lines = "";
  for (let i = 0; i < 150; ++i) {
    const given = text(6, marks);
    const ids = (await tokenizer.encode(given, null, { addSpecialTokens: false })).getIds();
    const special = (await tokenizer.encode(given, null, { addSpecialTokens: true })).getIds();
    const back = [await tokenizer.decode(ids, true), await tokenizer.decode(ids, false)];
    lines += [hex(given), ids.join(" "), special.join(" "), ...back.map(hex)].join("\t") + "\n";
  }
  fs.writeFileSync(name + ".txt", lines);
}

(async () => {
  // Lines without white space at their ends: it reads a file line by line.
  let corpus = "";
  for (let i = 0; i < 150; ++i) corpus += text(8, []).replace(/[\s\u0085]+/g, " ").trim() + "\n";
  fs.writeFileSync("corpus.txt", corpus);
  const learner = new Tokenizer(BPE.empty());
  learner.setPreTokenizer(words.byteLevelPreTokenizer(false));
  learner.train(["corpus.txt"]);
  learner.save("learned.json", false);
  const learned = JSON.parse(fs.readFileSync("learned.json"));
  const merges = learned.model.merges.slice(0, 160).map((m) => (Array.isArray(m) ? m : m.split(" ")));
  fs.unlinkSync("learned.json");
  fs.writeFileSync("merges.txt", learned.model.merges.map((m) => (Array.isArray(m) ? m.join(" ") : m)).join("\n") + "\n");

  const vocab = { "<s>": 0, "</s>": 1 };
  for (const letter of words.byteLevelAlphabet().sort()) vocab[letter] = Object.keys(vocab).length;
  for (const [a, b] of merges) if (!(a + b in vocab)) vocab[a + b] = Object.keys(vocab).length;
  let next = Object.keys(vocab).length;
  const mark = (content, more) => ({
    id: content in vocab ? vocab[content] : next++, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more,
  });
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const gpt2 = {
    version: "1.0", truncation: null, padding: null, added_tokens: [mark("</s>")], normalizer: null, pre_tokenizer: byteLevel,
    post_processor: { ...byteLevel, trim_offsets: false }, decoder: byteLevel,
    model: { type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: "", end_of_word_suffix: "", fuse_unk: false, vocab, merges: merges.map((m) => m.join(" ")) },
  };
  await write("gpt2", gpt2, ["</s>", "</S>"]);
  await write("roberta", {
    ...gpt2, normalizer: { type: "NFC" }, pre_tokenizer: { ...byteLevel, add_prefix_space: true },
    post_processor: { type: "RobertaProcessing", sep: ["</s>", 1], cls: ["<s>", 0], trim_offsets: true, add_prefix_space: true },
    added_tokens: [mark("<s>"), mark("</s>"), mark("<mask>", { lstrip: true }), mark("word", { single_word: true, special: false, normalized: true }), mark("<r>", { rstrip: true, special: false }), mark("<r> <r>", { lstrip: true, normalized: true })],
    model: { ...gpt2.model, merges },
  }, ["<mask>", "word", "words", "<r>", "<r> <r>", "</s>", "  "]);

  const pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  const add = (piece) => pieces.includes(piece) || pieces.push(piece);
  for (const pool of pools) for (const c of [...pool.join("").toLowerCase().normalize("NFD")]) if (!/[\s\u0085\u0000-\u001f]/u.test(c) && random() < 0.8) add(c), random() < 0.8 && add("##" + c);
  for (const piece of ["the", "##the", "hello", "hell", "world", "##ing", "and", "##re", "ab", "##cd", "##bc", "n't", "##12", "Hello", "."]) add(piece);
  const bert = (lowercase) => ({
    version: "1.0", truncation: null, padding: null,
    added_tokens: pieces.slice(0, 5).map((content, id) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true })).concat([{ id: pieces.length, content: lowercase ? "marked word" : "Marked Word", single_word: false, lstrip: false, rstrip: false, normalized: true, special: false }]),
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: "[CLS]", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }, { SpecialToken: { id: "[SEP]", type_id: 0 } }],
      pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }],
      special_tokens: { "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] }, "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] } },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", max_input_chars_per_word: 100, vocab: Object.fromEntries(pieces.map((p, i) => [p, i])) },
  });
  await write("bert", bert(true), ["[MASK]", "[mask]", "[UNK]", "marked word", "Marked Word", "abcd", "thething"]);
  await write("bert_cased", bert(false), ["[MASK]", "marked word", "Marked Word", "Hello", "don't"]);

  // Rules for words as files of LLaMA 3 and StarCoder have them, and all ways to cut.
  const plain = { ...byteLevel, use_regex: false };
  const cut = (pattern, behavior, invert = false) => ({ type: "Split", pattern, behavior, invert });
  const several = (...first) => ({ ...gpt2, pre_tokenizer: { type: "Sequence", pretokenizers: [...first, plain] } });
  const marks = ["</s>", "1234567", " \n \n x", "I'LL", "a  b", "--", "x\r\n"];
  await write("llama3", several(cut({ Regex: "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+" }, "Isolated")), marks);
  await write("starcoder", {
    ...several(), pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Digits", individual_digits: true }, byteLevel] },
  }, marks);
  // Tokens that are texts, as files of LLaMA 2 and Gemma have them, and bytes of what has none.
  const texts = { "<unk>": 0, "<s>": 1, "</s>": 2 };
  for (let b = 0; b < 256; ++b) texts[`<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`] = 3 + b;
  for (const c of new Set("▁▁abcdefghijklmnopqrstuvwxyzABCDEF.,éд你\n")) texts[c] = Object.keys(texts).length;
  const joined = [["t", "h"], ["th", "e"], ["▁", "the"], ["▁", "▁"], ["▁▁", "▁▁"], ["h", "e"], ["l", "l"], ["he", "ll"], ["hell", "o"], ["▁", "hello"], ["i", "n"], ["in", "g"], ["a", "n"], ["▁", "w"], ["▁", "an"]];
  for (const [a, b] of joined) if (!(a + b in texts)) texts[a + b] = Object.keys(texts).length;
  const marked = (content, id) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true });
  const replaced = (from, to) => ({ type: "Replace", pattern: { String: from }, content: to });
  const spelled = (prepend, unknown) => ({
    version: "1.0", truncation: null, padding: null, added_tokens: [marked("<unk>", 0), marked("<s>", 1), marked("</s>", 2)],
    normalizer: { type: "Sequence", normalizers: [...(prepend ? [{ type: "Prepend", prepend: "▁" }] : []), replaced(" ", "▁")] }, pre_tokenizer: null,
    post_processor: {
      type: "TemplateProcessing", single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
      pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }], special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
    },
    decoder: { type: "Sequence", decoders: [replaced("▁", " "), { type: "ByteFallback" }, { type: "Fuse" }, ...(prepend ? [{ type: "Strip", content: " ", start: 1, stop: 0 }] : [])] },
    model: { type: "BPE", dropout: null, unk_token: "<unk>", continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: true, byte_fallback: true, ignore_merges: false, vocab: texts, merges: joined },
  });
  await write("llama2", spelled(true), ["</s>", "<s>", "the  hello", "    "]);
  await write("gemma", spelled(false), ["</s>", "the  hello", "    ", " the"]);
  await write("cuts", several(
    cut({ String: "." }, "MergedWithPrevious"), cut({ Regex: "\\s+?|\\p{Lu}" }, "MergedWithNext"), cut({ Regex: "[a-f\\d]{2,}|(?:x|yz)*z" }, "Contiguous"),
    cut({ Regex: "[^\\w\\s]++(?=\\s|$)" }, "Isolated", true), cut({ Regex: "\\u0301|^ " }, "Removed"), { type: "Digits", individual_digits: false },
  ), marks.concat(["abcdef", "xyzxz", "...", "A.B"]));
})();
