/**
 * Words that nearly every text has, in Russian (with `е` for `ё`) and English: prepositions,
 * conjunctions, pronouns, particles and auxiliary verbs. A text without any is none that people
 * write, or is in another language.
 */
const RUSSIAN = `
  и в во не на я он она оно мы вы они с со что чтобы как но а или же бы ли по к ко у о об от до
  из за для при без под над про через после перед между если когда где куда уже еще только
  это этот эта эти тот та те так там тут здесь то все всех всего весь вся мне меня мой моя нам нас
  наш наша наши вам вас ваш ваша ваше ваши его ее их им ему ей который которая которые которых
  быть был была было были будет будут есть нет да можно нужно надо нужна нужен очень также более
  менее сколько какой какая какие кто чем чего свой свои своих раз ни ну вот того этого`;
const ENGLISH = `
  the a an and or but not of to in on at by for from with without as is are was were be been has
  have had do does did will would can could should may must this that these those it its he she
  they we you i our your their my me us them who which what when where how if than then there
  here no yes all any each more most some such only also into over after before about please`;

/** The words that distinguish a text from gibberish. */
export const FREQUENT_WORDS: ReadonlySet<string> = new Set(
  `${RUSSIAN} ${ENGLISH}`.split(/\s+/).filter((word) => word !== ''),
);
