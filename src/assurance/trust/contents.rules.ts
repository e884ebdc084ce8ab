import {
  CONTENT_CARRIERS,
  CONTENT_READERS,
  CONTENTS,
  UNREAD_KINDS,
  UNREAD_MODE_DEFAULT,
  UNREAD_MODES,
  type UnreadModes,
} from '../../kernel/firewall/contents.js';

/** What the firewall makes of each kind of content, as the trust centre states it. */
export const CONTENT_LINES = CONTENTS.rows.map(({ code, carrier, reader, title }) => ({
  code,
  carrier,
  reader,
  title,
  policyDefault: carrier === 'request' && reader === 'unread' ? UNREAD_MODE_DEFAULT : null,
}));

type Line = (typeof CONTENT_LINES)[number];

function titles(test: (line: Line) => boolean): string {
  return CONTENT_LINES.filter(test)
    .map(({ title }) => title)
    .join(', ');
}

const IS_READ = ({ reader }: Line) => reader === 'scanned' || reader === 'decoded';

/** The inventory in Russian sentences. Documents state it and nothing beyond it. */
export function inventoryText(): string {
  const request = titles((line) => line.carrier === 'request' && IS_READ(line));
  const answer = titles((line) => line.carrier === 'answer' && IS_READ(line));
  const unread = titles(({ carrier, reader }) => carrier === 'answer' && reader === 'unread');
  const read = `В запросе проверяются: ${request}. В ответе проверяются: ${answer}`;
  return `${read}; не читаются: ${unread}.`;
}

/** What becomes of content of a request that nothing reads, in Russian. */
export function unreadText(): string {
  const unread = UNREAD_KINDS.map(({ title }) => title).join(', ');
  const fallback = UNREAD_MODES.find(UNREAD_MODE_DEFAULT)?.title;
  return `В запросе не читаются: ${unread}. Если политика проекта не говорит иного — ${fallback}.`;
}

/** A line of the inventory in Russian, with what is done where no policy says anything. */
export function contentSentence({ carrier, reader, title, code }: Line): string {
  const where = CONTENT_CARRIERS.find(carrier)?.title ?? carrier;
  const read = CONTENT_READERS.find(reader)?.title ?? reader;
  const kind = UNREAD_KINDS.find((row) => row.code === code)?.code;
  if (kind === undefined) return `${where}, ${title}: ${read}.`;
  const mode = UNREAD_MODE_DEFAULT;
  return `${where}, ${title}: ${read}; ${UNREAD_MODES.find(mode)?.title ?? mode}.`;
}

/** The kinds of a project whose policies say anything but the default, in Russian; often none. */
export function otherUnread(policy: UnreadModes): readonly string[] {
  return UNREAD_KINDS.filter(({ code }) => policy[code] !== UNREAD_MODE_DEFAULT).map(
    ({ code, title }) => `${title}: ${UNREAD_MODES.find(policy[code])?.title ?? policy[code]}`,
  );
}
