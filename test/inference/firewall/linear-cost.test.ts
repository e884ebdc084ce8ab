import { describe, expect, it } from 'vitest';
import { Surroundings } from '../../../src/inference/firewall/context.js';
import { detectBank } from '../../../src/inference/firewall/detectors/bank.js';
import { detectContact } from '../../../src/inference/firewall/detectors/contact.js';
import { detectDocuments } from '../../../src/inference/firewall/detectors/documents.js';
import { detectRussian } from '../../../src/inference/firewall/detectors/russian.js';
import { detectVehicles } from '../../../src/inference/firewall/detectors/vehicles.js';
import { DigitGroups } from '../../../src/inference/firewall/digit-groups.js';
import { groupsOf, liveJoints } from '../../../src/inference/firewall/joints.js';
import type { Mark } from '../../../src/inference/firewall/mark.js';
import { joinedMarksOf } from '../../../src/inference/firewall/seams.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

/** How often all detectors of numbers read the words around a place of a text. */
function readingsOf(text: string): number {
  const words = new Surroundings(text);
  const groups = new DigitGroups(text, words);
  for (const detect of [detectDocuments, detectRussian, detectBank, detectContact]) {
    detect(text, groups);
  }
  detectVehicles(text, words);
  return words.readings;
}

describe('the words around the numbers of a text', () => {
  it.each([
    'карта 4111 1111 1111 1111 ',
    '4509;235857;Москва;1250,50;2026-01-15\n',
    'ИНН 500100732259, ',
    'А123ВС777 ',
    'артикул 79161234567 и ',
  ])('are read a bounded number of times for each number: %s', (row) => {
    const [few, many] = [readingsOf(row.repeat(200)), readingsOf(row.repeat(1_600))];
    expect(few).toBeGreaterThan(0);
    expect(many / 1_600).toBeLessThanOrEqual((few / 200) * 1.1);
    expect(few / 200).toBeLessThan(60);
  });

  it.each(['4111 1111 1111 1111 ', '500100732259 ', '12 34 ', '4509 235857 '])(
    'are not read at all where the text has none: %s',
    (row) => expect(readingsOf(row.repeat(500))).toBe(0),
  );
});

/** How many marks the seams of two texts look at, each text with this many values. */
function lookedAt(values: number): number {
  const value = 'ab1@x.ru';
  let looked = 0;
  const piece = (site: number) => {
    const marks = Array.from({ length: values }, (_, at): Mark => {
      const place = { start: at * value.length, end: (at + 1) * value.length, value };
      return { ...place, class: 'email', confidence: 'confirmed' };
    });
    const counting = new Proxy(marks, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) looked += 1;
        return Reflect.get(target, name);
      },
    });
    return { site, text: value.repeat(values), unit: site, isForeign: false, marks: counting };
  };
  joinedMarksOf([piece(0), piece(1)], DEFAULT_MODES);
  return looked;
}

describe('the seams between two texts', () => {
  it('look at few more marks than lie within their reach, however many a text has', () => {
    const [some, more] = [lookedAt(2_000), lookedAt(16_000)];
    // Each mark is looked at once for the ends of its text, and the rest by halving.
    expect(more - some).toBeLessThan(3 * 2 * 14_000);
    expect(some).toBeLessThan(200_000);
  });
});

describe('the joints of a conversation of short messages', () => {
  const CALM = ['Добрый день, всё верно?', 'Да, спасибо.', 'Thanks a lot.', 'Когда будет готово?'];
  const calm = (count: number) => Array.from({ length: count }, (_, at) => CALM[at % 4] ?? '');
  const live = (texts: readonly string[]) => {
    const pieces = texts.map((text, at) => ({
      site: at,
      text,
      unit: at,
      isForeign: true,
      marks: [],
    }));
    const [group = [], ...others] = groupsOf(pieces);
    expect(others).toEqual([]);
    return liveJoints(group, DEFAULT_MODES);
  };
  const jointsOf = (rows: readonly { readonly first: number; readonly last: number }[]) =>
    rows.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    );

  it('are read by no detector where nothing stands', () => {
    expect(live(calm(400))).toEqual({ close: [], spaced: [] });
  });

  it('are read near what may be a part of a value, and nowhere else', () => {
    const texts = [...calm(200), 'Мой паспорт 4509', '123456, вот', ...calm(200)];
    const { close, spaced } = live(texts);
    for (const joints of [close, spaced].map(jointsOf)) {
      expect(joints).toContain(200);
      expect(joints.length).toBeLessThan(48);
      expect(joints.every((joint) => Math.abs(joint - 200) < 32)).toBe(true);
    }
  });

  it('are read a bounded number of times for each message, whatever stands in them', () => {
    for (const text of ['7', '45 09 12', 'паспорт 4509 123456 ', 'ivan@mail.example']) {
      const texts = Array.from({ length: 3_000 }, () => text);
      for (const rows of Object.values(live(texts))) {
        const joints = jointsOf(rows);
        expect(new Set(joints).size).toBe(joints.length);
      }
    }
  });
});
