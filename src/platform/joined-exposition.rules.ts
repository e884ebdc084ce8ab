/** The exposition of one of several processes. */
export interface Part {
  /** The value of the label that tells its samples apart. */
  readonly worker: string;
  readonly text: string;
}

interface Family {
  readonly comments: string[];
  readonly samples: string[];
}

const HEAD = '# HELP ';
const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{)?/;

/**
 * Expositions of several processes as one: each sample gets the label `worker`, and each metric
 * stands once, with the samples of all. Nothing is summed up, since the sum of a gauge such as a
 * limit or a delay means nothing.
 */
export function joinedExposition(parts: readonly Part[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of parts) addPart(families, worker, text);
  const lines = [...families.values()].flatMap(({ comments, samples }) => [
    ...comments,
    ...samples,
  ]);
  return `${lines.join('\n')}\n`;
}

function addPart(families: Map<string, Family>, worker: string, text: string): void {
  let family: Family = { comments: [], samples: [] };
  let isFirst = true;
  for (const line of text.split('\n')) {
    if (line.startsWith(HEAD)) {
      const name = line.slice(HEAD.length).split(' ', 1)[0] ?? '';
      const known = families.get(name);
      isFirst = known === undefined;
      family = known ?? { comments: [], samples: [] };
      families.set(name, family);
    }
    if (line.startsWith('#')) {
      if (isFirst) family.comments.push(line);
    } else if (line !== '') family.samples.push(labelled(line, worker));
  }
}

function labelled(line: string, worker: string): string {
  return line.replace(SAMPLE, (_head, name: string, brace?: string) =>
    brace === undefined ? `${name}{worker="${worker}"}` : `${name}{worker="${worker}",`,
  );
}
