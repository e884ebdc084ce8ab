/** Where a variable is named in the text of a section; both count from 1. */
export interface Place {
  readonly row: number;
  readonly col: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Tags that read a value and print nothing of it. */
const ONLY_READS = /^\{%-?\s*(?:if|elsif|unless|case|when)\b/;
const AS_JSON = /\|\s*json\s*-?[}%]\}$/;

const FENCES = ['```', '~~~', '"""'];
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '«': '»',
  '“': '”',
};

/** The text of a section, asked about the places where its variables stand. */
export class SectionPlaces {
  private readonly lineStarts: readonly number[];
  private readonly delimited: readonly Range[];

  constructor(private readonly text: string) {
    this.lineStarts = lineStartsOf(text);
    this.delimited = [...fencedRanges(text, this.lineStarts), ...taggedRanges(text)];
  }

  /** True where the value itself may enter the text, and is not only looked at. */
  prints(place: Place): boolean {
    const { from, to } = this.mark(place);
    return !ONLY_READS.test(this.text.slice(from, to));
  }

  /** True where a fence, tags, quotation marks or the filter `json` set the value apart. */
  isDelimited(place: Place): boolean {
    const { from, to } = this.mark(place);
    const closing = QUOTES[this.text[from - 1] ?? ''];
    if (closing !== undefined && this.text[to] === closing) return true;
    if (AS_JSON.test(this.text.slice(from, to))) return true;
    return this.delimited.some((range) => range.from < from && to <= range.to);
  }

  /** The `{{ … }}` or `{% … %}` around a place. */
  private mark({ row, col }: Place): Range {
    const at = (this.lineStarts[row - 1] ?? 0) + col - 1;
    const { text } = this;
    const from = Math.max(0, text.lastIndexOf('{{', at), text.lastIndexOf('{%', at));
    const close = text.indexOf(text[from + 1] === '%' ? '%}' : '}}', at);
    return { from, to: close < 0 ? text.length : close + 2 };
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** From each line that begins with a fence's mark to the next such line. */
function fencedRanges(text: string, lineStarts: readonly number[]): Range[] {
  return FENCES.flatMap((mark) => {
    const marks = lineStarts.filter((start) => text.startsWith(mark, start));
    const ranges: Range[] = [];
    for (let index = 0; index + 1 < marks.length; index += 2) {
      ranges.push({ from: marks[index] ?? 0, to: marks[index + 1] ?? 0 });
    }
    return ranges;
  });
}

/** From each opening tag, such as `<letter>`, to the next closing tag of its name. */
function taggedRanges(text: string): Range[] {
  const ranges: Range[] = [];
  const open = new Map<string, number>();
  for (const found of text.matchAll(/<(\/?)([\p{L}_][\p{L}\p{N}_-]{0,63})[^<>]{0,500}>/gu)) {
    const [, slash, name = ''] = found;
    const from = open.get(name);
    if (slash && from !== undefined) {
      ranges.push({ from, to: found.index });
      open.delete(name);
    } else if (!slash && from === undefined) {
      open.set(name, found.index);
    }
  }
  return ranges;
}
