import { vocabulary } from '../vocabulary.js';
import type { DataClass } from './vocabulary.js';

/**
 * What a request or an answer can carry, and what reads it. The firewall, the policies, the schema,
 * the published reference `firewall.content` and the documents of the trust centre read this list.
 */

/** What may be done about content that the firewall cannot read, mildest first. */
export const UNREAD_MODES = vocabulary(
  'FirewallUnreadMode',
  'What is done about content that the firewall cannot read.',
  [
    {
      code: 'allow',
      description:
        'It may take routes outside Russia as data of class C2. Nobody knows what it shows: it ' +
        'may be personal data.',
      title: 'политика разрешает любые маршруты',
    },
    {
      code: 'rf_only',
      description: 'The request takes routes inside Russia only, as data of class C3.',
      title: 'только маршруты в России',
    },
    {
      code: 'refuse',
      description: 'The request is refused.',
      title: 'запрос отклоняется',
    },
  ],
);

/** What is done about content that the firewall cannot read. */
export type UnreadMode = (typeof UNREAD_MODES)['codes'][number];

/** What holds where no policy says anything else. */
export const UNREAD_MODE_DEFAULT: UnreadMode = 'rf_only';

/** What a reader makes of content. */
export const CONTENT_READERS = vocabulary(
  'FirewallContentReader',
  'What the firewall makes of content.',
  [
    { code: 'scanned', description: 'Detectors read it.', title: 'проверяется' },
    {
      code: 'decoded',
      description: 'It is decoded, and detectors read the text.',
      title: 'раскодируется и проверяется',
    },
    {
      code: 'compared',
      description: 'It is compared with closed lists; no text of a person fits there.',
      title: 'сверяется с закрытым списком',
    },
    {
      code: 'unread',
      description: 'Nothing reads it. In a request, `firewall_unread` of the policies decides.',
      title: 'не читается',
    },
  ],
);

/** The two ways of content. */
export const CONTENT_CARRIERS = vocabulary('FirewallContentCarrier', 'What carries the content.', [
  { code: 'request', description: 'What a client sends.', title: 'запрос' },
  { code: 'answer', description: 'What a provider answers.', title: 'ответ' },
]);

/**
 * Every kind of content, with the types of content parts that carry it. A row with `unread` in a
 * request is a kind that policies decide about.
 */
export const CONTENTS = vocabulary('FirewallContent', 'What a request or an answer can carry.', [
  {
    code: 'text',
    carrier: 'request',
    reader: 'scanned',
    partTypes: [
      'text',
      'input_text',
      'output_text',
      'refusal',
      'thinking',
      'reasoning',
      'summary_text',
      'reasoning_text',
      'tool_result',
      'tool_use',
    ],
    description:
      'Texts, names of members and numbers of nine digits and more, at any depth; of four to six ' +
      'in members that are called series, number or passport. A value that begins in the name of ' +
      'a member and ends in its text is not found.',
    title: 'тексты, имена полей и числа от девяти цифр',
  },
  {
    code: 'joined_text',
    carrier: 'request',
    reader: 'scanned',
    partTypes: [],
    description:
      'What neighbouring texts say together: parts of one message, messages in a row, arguments ' +
      'of calls, texts that are embedded. Read are 64 characters on each side of a joint and the ' +
      'words that go on there, and all of a value that ends or begins at it.',
    title: 'тексты на стыках частей и сообщений',
  },
  {
    code: 'text_file',
    carrier: 'request',
    reader: 'decoded',
    partTypes: [],
    description:
      'Text in base64: files, and up to 256 pieces within another text, up to three levels deep: ' +
      'addresses in `data:`, rows of 40 signs and more, and rows of 16 and more that others of 8 ' +
      'and more follow, with ends of lines, up to 8 blanks or invisible characters between. Read ' +
      'are UTF-8, UTF-16, Windows-1251, ' +
      'KOI8-R, CP866, ISO-8859-5, Mac Cyrillic and Windows-1252 where it is certain which of ' +
      'them it is (other signs may stand around 24 bytes of UTF-8, and up to three before the ' +
      'others), ' +
      'and pages and drawings (HTML, SVG) that show nothing but text and simple shapes.',
    title: 'текст в base64: файлы и вложения внутри текста',
  },
  {
    code: 'token_array',
    carrier: 'request',
    reader: 'decoded',
    partTypes: [],
    description:
      'Token arrays of embeddings that o200k, cl100k or p50k would write in the same way. All ' +
      'texts that an array may mean are read; under a mask the masked text leaves in its place. ' +
      'A short array of another vocabulary may pass for one of these.',
    title: 'массивы токенов o200k, cl100k и p50k',
  },
  {
    code: 'wire_word',
    carrier: 'request',
    reader: 'compared',
    partTypes: [],
    description:
      'Words of the wire, shorter numbers, a seed and the name of the model; the list is ' +
      '`firewall.unread_position`.',
    title: 'слова протокола',
  },
  {
    code: 'image',
    carrier: 'request',
    reader: 'unread',
    partTypes: ['image_url', 'input_image', 'image', 'image_file'],
    description:
      'Images, inlined, by address, or as an address in `data:` within a text. The address ' +
      'itself is read.',
    title: 'изображения',
  },
  {
    code: 'audio',
    carrier: 'request',
    reader: 'unread',
    partTypes: ['input_audio', 'audio', 'audio_url'],
    description: 'Sound, inlined, by address, or as the id of an earlier answer.',
    title: 'звук',
  },
  {
    code: 'video',
    carrier: 'request',
    reader: 'unread',
    partTypes: ['video_url', 'input_video', 'video'],
    description: 'Video, inlined or by address.',
    title: 'видео',
  },
  {
    code: 'file',
    carrier: 'request',
    reader: 'unread',
    partTypes: ['file', 'input_file', 'document', 'file_url', 'container_upload'],
    description:
      'Files that are no plain text, such as PDF, texts whose encoding is uncertain, pages and ' +
      'drawings that show pictures or load something, bytes in base64 within a text (128 signs ' +
      'and more, in rows of 60 and more unless an address in `data:` or the first of them name ' +
      'them), base64 that two texts share, files by id or address, and parts of an unknown type ' +
      'that refer to something.',
    title: 'файлы других форматов и ссылки на файлы',
  },
  {
    code: 'sealed',
    carrier: 'request',
    reader: 'unread',
    partTypes: ['redacted_thinking'],
    description: 'Reasoning of an earlier answer that its provider has sealed.',
    title: 'запечатанные рассуждения моделей',
  },
  {
    code: 'tokens',
    carrier: 'request',
    reader: 'unread',
    partTypes: [],
    description:
      'Token arrays that no encoding of the gateway would write so, with an unbroken run of 512 ' +
      'characters (long base64 is one), with more than 32,768 tokens or more than 524,288 in all.',
    title: 'массивы токенов других кодировок',
  },
  {
    code: 'answer_text',
    carrier: 'answer',
    reader: 'scanned',
    partTypes: [],
    description:
      'Texts and names of an answer, each choice for itself. Ids, names of functions and other ' +
      'references are not judged.',
    title: 'тексты ответа',
  },
  {
    code: 'answer_media',
    carrier: 'answer',
    reader: 'unread',
    partTypes: [],
    description: 'Images, sound and files that a model makes. They pass as they are.',
    title: 'изображения, звук и файлы в ответе',
  },
  {
    code: 'answer_vector',
    carrier: 'answer',
    reader: 'unread',
    partTypes: [],
    description: 'Vectors of embeddings. They pass as they are.',
    title: 'векторы эмбеддингов',
  },
  {
    code: 'answer_sealed',
    carrier: 'answer',
    reader: 'unread',
    partTypes: [],
    description: 'Reasoning that a provider has sealed. It passes as it is.',
    title: 'запечатанные рассуждения в ответе',
  },
]);

type ContentRow = (typeof CONTENTS)['rows'][number];

/** A kind of content that the firewall cannot read and that policies decide about. */
export type UnreadKind = Extract<ContentRow, { carrier: 'request'; reader: 'unread' }>['code'];

function isUnreadKind(row: ContentRow): row is Extract<ContentRow, { code: UnreadKind }> {
  return row.carrier === 'request' && row.reader === 'unread';
}

/** The kinds of content that policies decide about. */
export const UNREAD_KINDS = CONTENTS.rows.filter(isUnreadKind);

/** What the policies of a request say about each kind that is not read. */
export type UnreadModes = Readonly<Record<UnreadKind, UnreadMode>>;

/**
 * The modes of several policies: of each kind the strictest mode that one of them names. A policy
 * that does not name a kind does not limit it.
 */
export function strictestUnread(policies: readonly Partial<UnreadModes>[]): UnreadModes {
  const strictestFirst = [...UNREAD_MODES.codes].reverse();
  const merged = UNREAD_KINDS.map(({ code }) => {
    const named = policies.flatMap((policy) => policy[code] ?? []);
    return [code, strictestFirst.find((mode) => named.includes(mode)) ?? UNREAD_MODE_DEFAULT];
  });
  return Object.fromEntries(merged) as UnreadModes;
}

/** What content that was not read counts as. It is never C0: nobody knows what it shows. */
export function unreadDataClass(mode: UnreadMode): DataClass {
  return mode === 'allow' ? 'C2' : 'C3';
}
