import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInn, isSnils } from '../../../src/inference/firewall/checksums.js';
import { detectAddresses } from '../../../src/inference/firewall/detectors/addresses.js';
import { detectBank } from '../../../src/inference/firewall/detectors/bank.js';
import { detectContact } from '../../../src/inference/firewall/detectors/contact.js';
import { detectDocuments } from '../../../src/inference/firewall/detectors/documents.js';
import {
  detectHandles,
  detectMentions,
} from '../../../src/inference/firewall/detectors/handles.js';
import { detectInjection } from '../../../src/inference/firewall/detectors/injection.js';
import { detectNamedSecrets } from '../../../src/inference/firewall/detectors/named-secrets.js';
import { detectBirths, detectNames } from '../../../src/inference/firewall/detectors/persons.js';
import { detectRussian } from '../../../src/inference/firewall/detectors/russian.js';
import { detectSecrets } from '../../../src/inference/firewall/detectors/secrets.js';
import {
  detectSpacedEmails,
  detectSpeltEmails,
} from '../../../src/inference/firewall/detectors/spelt-email.js';
import { detectVehicles } from '../../../src/inference/firewall/detectors/vehicles.js';
import type { Finding } from '../../../src/inference/firewall/finding.js';
import { disjoint } from '../../../src/inference/firewall/finding.js';
import { PlainView } from '../../../src/inference/firewall/plain-view.js';
import { scan } from '../../../src/inference/firewall/scan.js';
import { DEFAULT_MODES, FINDING_CLASSES } from '../../../src/kernel/firewall/vocabulary.js';
import * as valid from './generators.js';

const find = (text: string) => scan(text, DEFAULT_MODES);

/** The one finding that is expected where `value` stands in `text`. */
function at(text: string, value: string, code: Finding['class'], confidence = 'confirmed') {
  const start = text.indexOf(value);
  return { class: code, start, end: start + value.length, confidence };
}

const CASES = [
  ['inn', 'Наш ИНН ', valid.inn10],
  ['inn', 'ИНН физлица: ', valid.inn12],
  ['snils', 'СНИЛС ', valid.snils],
  ['ogrn', 'ОГРН ', valid.ogrn],
  ['ogrn', 'ОГРНИП ', valid.ogrnip],
  ['card', 'Оплата с ', valid.card],
  ['phone', 'Свяжитесь: ', valid.phone],
  ['email', 'Пишите на ', valid.email],
  ['secret', 'Вот ключ: ', valid.gatewayKey],
] as const;

describe('identifiers with a valid checksum', () => {
  it.each(CASES)('are found as %s behind «%s», at their place', (code, label, value) => {
    fc.assert(
      fc.property(value, (id) => {
        const text = `Добрый день. ${label}${id} и дальше обычный текст.`;
        expect(find(text)).toEqual([at(text, id, code)]);
      }),
    );
  });

  it('bank accounts are confirmed by the BIC in the same text', () => {
    fc.assert(
      fc.property(valid.account, ({ bic, account }) => {
        const text = `р/с ${account} в банке, БИК ${bic}`;
        expect(find(text)).toEqual([at(text, account, 'bank_account')]);
      }),
    );
  });

  it('pass where the published examples pass', () => {
    expect(['7707083893', '7736207543', '500100732259'].map(isInn)).toEqual([true, true, true]);
    expect(isSnils('11223344595')).toBe(true);
    const text =
      'ОГРН 1027700132195, ОГРНИП 304500116000157, к/с 30101810400000000225, БИК 044525225, ' +
      'карта 4111111111111111';
    expect(find(text).map((finding) => [finding.class, finding.confidence])).toEqual([
      ['ogrn', 'confirmed'],
      ['ogrn', 'confirmed'],
      ['bank_account', 'confirmed'],
      ['card', 'confirmed'],
    ]);
  });
});

function changed(id: string, place: number, by: number): string {
  const index = place % id.length;
  return id.slice(0, index) + ((Number(id[index]) + by) % 10) + id.slice(index + 1);
}

const change = { place: fc.nat(), by: fc.integer({ min: 1, max: 9 }) };

describe('identifiers with one changed digit', () => {
  it('are no confirmed cards, because Luhn detects every changed digit', () => {
    fc.assert(
      fc.property(valid.card, change.place, change.by, (id, place, by) => {
        const found = find(`Карта ${changed(id, place, by)}`);
        expect(found.filter((finding) => finding.class === 'card')).toEqual([]);
      }),
    );
  });

  it('are no confirmed accounts', () => {
    fc.assert(
      fc.property(valid.account, change.place, change.by, ({ bic, account }, place, by) => {
        const found = find(`р/с ${changed(account, place, by)}, БИК ${bic}`);
        expect(found.filter((finding) => finding.confidence === 'confirmed')).toEqual([]);
      }),
    );
  });

  it.each([
    ['ИНН ', valid.inn10],
    ['ИНН ', valid.inn12],
    ['СНИЛС ', valid.snils],
    ['ОГРН ', valid.ogrn],
    ['ОГРНИП ', valid.ogrnip],
  ] as const)(
    'are not confirmed behind «%s» where the control digit is the changed one',
    (label, value) => {
      fc.assert(
        fc.property(value, change.by, (id, by) => {
          const found = find(label + changed(id, id.length - 1, by));
          expect(found.filter((finding) => finding.confidence === 'confirmed')).toEqual([]);
        }),
      );
    },
  );
});

describe('numbers that nothing vouches for', () => {
  it('are suspected, and confirmed once a word or an id of another kind stands beside them', () => {
    const alone = 'Код 7707083893.';
    expect(find(alone)).toEqual([at(alone, '7707083893', 'inn', 'suspected')]);
    const named = '7707083893 — это ИНН нашего контрагента';
    expect(find(named)).toEqual([at(named, '7707083893', 'inn')]);
    const pair = '7707083893/1027700132195';
    expect(find(pair)).toEqual([at(pair, '7707083893', 'inn'), at(pair, '1027700132195', 'ogrn')]);
    const withKpp = '7707083893/773601001';
    expect(find(withKpp)).toEqual([at(withKpp, '7707083893', 'inn')]);
  });

  it('stay suspected where the word is further than 40 characters away', () => {
    const far = `ИНН ${'слово '.repeat(8)}7707083893`;
    expect(find(far)).toEqual([at(far, '7707083893', 'inn', 'suspected')]);
  });

  it('are no passport without a word that says so', () => {
    expect(find('Позиция 4508 123456')).toEqual([]);
    const text = 'Паспорт 4508 123456';
    expect(find(text)).toEqual([at(text, '4508 123456', 'passport')]);
  });

  it('belong to the word in front of them and not to the next one', () => {
    const text = 'ИНН 7707083893, заказ 7736207543, абонент 7736207543';
    expect(find(text)).toEqual([at(text, '7707083893', 'inn')]);
    const other = 'ИНН 7707083893, обращение от контрагента 7736207543';
    expect(find(other)).toEqual([
      at(other, '7707083893', 'inn'),
      at(other, '7736207543', 'inn', 'suspected'),
    ]);
  });
});

describe('any text', () => {
  const text = fc.oneof(
    valid.nastyText,
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  );

  it('gives findings inside the text, ordered and disjoint, and never throws', () => {
    fc.assert(
      fc.property(text, (any) => {
        let behind = 0;
        for (const finding of find(any)) {
          expect(finding.start).toBeGreaterThanOrEqual(behind);
          expect(finding.end).toBeGreaterThan(finding.start);
          behind = finding.end;
        }
        expect(behind).toBeLessThanOrEqual(any.length);
      }),
      { numRuns: 500 },
    );
  });

  it('gives no finding of a class that is off', () => {
    const off = { ...DEFAULT_MODES, inn: 'off', phone: 'off' } as const;
    fc.assert(
      fc.property(valid.nastyText, (any) => {
        const classes = scan(any, off).map((finding) => finding.class);
        expect(classes).not.toContain('inn');
        expect(classes).not.toContain('phone');
      }),
    );
  });
});

describe('the prefilter', () => {
  const everything = (text: string) =>
    disjoint(
      [
        ...detectRussian(text),
        ...detectBank(text),
        ...detectContact(text),
        ...detectSecrets(text),
        ...detectInjection(text),
        ...detectDocuments(text),
        ...detectBirths(text),
        ...detectNames(text),
        ...detectVehicles(text),
        ...detectSpeltEmails(text),
        ...detectSpacedEmails(text),
        ...detectHandles(text),
        ...detectMentions(text),
        ...detectAddresses(text),
        ...detectNamedSecrets(text),
      ],
      DEFAULT_MODES,
    );

  it('loses no name that a Latin letter touches', () => {
    const text = 'Анна Львовнаx';
    expect(find(text)).toEqual(everything(text));
  });

  it('loses no finding of any detector', () => {
    fc.assert(
      fc.property(valid.nastyText, (any) => {
        const { view } = new PlainView(any);
        expect(find(view)).toEqual(everything(view));
      }),
      { numRuns: 500 },
    );
  });
});

/** Modes under which no class is replaced. */
const TOLD = { ...DEFAULT_MODES, snils: 'detect', phone: 'detect' } as const;

describe('overlapping findings', () => {
  const finding = fc
    .record({
      class: fc.constantFrom(...FINDING_CLASSES.map((row) => row.code)),
      start: fc.nat(60),
      length: fc.integer({ min: 1, max: 20 }),
      confidence: fc.constantFrom('confirmed' as const, 'suspected' as const),
    })
    .map(({ length, ...rest }) => ({ ...rest, end: rest.start + length }));

  it('are resolved the same way in any order, and no place that was found is left out', () => {
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 12 }), (all) => {
        const kept = disjoint(all, DEFAULT_MODES);
        const reversed = disjoint([...all].reverse(), DEFAULT_MODES);
        expect(reversed).toEqual(kept);
        for (const one of all) {
          const touched = kept.some((other) => other.start < one.end && one.start < other.end);
          expect(touched).toBe(true);
        }
      }),
    );
  });

  it('prefer the confirmed, then the more specific, then the longer one', () => {
    const phone: Finding = { class: 'phone', start: 0, end: 11, confidence: 'confirmed' };
    const snils: Finding = { class: 'snils', start: 0, end: 11, confidence: 'suspected' };
    expect(disjoint([snils, phone], TOLD)).toEqual([phone]);
    const named: Finding = { ...snils, confidence: 'confirmed' };
    expect(disjoint([phone, named], TOLD)).toEqual([named]);
    const longer: Finding = { ...phone, end: 12 };
    expect(disjoint([phone, longer], TOLD)).toEqual([longer]);
  });

  it('prefer what must not leave to what is only told', () => {
    const phone: Finding = { class: 'phone', start: 0, end: 11, confidence: 'suspected' };
    const snils: Finding = { ...phone, class: 'snils', confidence: 'confirmed' };
    expect(disjoint([snils, phone], { ...TOLD, phone: 'mask' })).toEqual([phone]);
    expect(disjoint([snils, phone], { ...TOLD, phone: 'block' })).toEqual([phone]);
    expect(disjoint([snils, phone], { ...TOLD, snils: 'mask', phone: 'mask' })).toEqual([snils]);
  });
});

describe('numbers of goods and documents', () => {
  it.each([
    'Артикул 89161234567 снят с производства',
    'Заказ № 89261112233 передан в доставку',
    'SKU: 79031234567',
    '{"order_id":79161234567,"ean":"4601234567893"}',
    'Артикулы: 89161234567, 89161234568 и 89161234569',
    'Паспорт качества № 1234567890 приложен',
    'КПП-6, артикул 123456789',
    'День рождения компании 12.05.2010',
    'Изделие А123ВС77 по чертежу, код изделия А456ВС77',
  ])('«%s» are nothing', (text) => {
    expect(find(text).filter(({ class: code }) => code !== 'vehicle_plate')).toEqual([]);
  });
});

describe('what only words or forms tell', () => {
  it.each([
    ['Директор Иванова Мария Ильинична в отпуске', 'Иванова Мария Ильинична', 'person_name'],
    ['Письмо Петру Ильичу Чайковскому', 'Петру Ильичу Чайковскому', 'person_name'],
    ['ИВАНОВ ИВАН ИВАНОВИЧ', 'ИВАНОВ ИВАН ИВАНОВИЧ', 'person_name'],
    ['Мамедов Али Гасан оглы прибыл', 'Мамедов Али Гасан оглы', 'person_name'],
    ['д.р. 12.05.1985', '12.05.1985', 'birth_date'],
    ['Петров, 1985 г. р., инженер', '1985', 'birth_date'],
    ['Родилась 5 мая 1990 года', '5 мая 1990', 'birth_date'],
    ['полис ОМС 7755550898000001', '7755550898000001', 'oms_policy'],
    ['загранпаспорт 71 № 1234567', '71 № 1234567', 'foreign_passport'],
    ['ВУ 99 АВ 345678', '99 АВ 345678', 'driving_licence'],
    ['у ворот а123вс77 стоит', 'а123вс77', 'vehicle_plate', 'suspected'],
    ['госномер A123BC77', 'A123BC77', 'vehicle_plate'],
    ['КПП 7736AB001', '7736AB001', 'kpp'],
    ['ИНН 7707 0838 93', '7707 0838 93', 'inn'],
    ['ivan [at] mail [dot] ru', 'ivan [at] mail [dot] ru', 'email'],
    ['ivan собака mail точка ru', 'ivan собака mail точка ru', 'email'],
    ['Уважаемая Анна Петровна!', 'Анна Петровна', 'person_name', 'suspected'],
  ] as const)('in «%s» is %s', (text, value, code, confidence?: 'suspected') => {
    expect(find(text)).toEqual([at(text, value, code, confidence ?? 'confirmed')]);
  });
});
