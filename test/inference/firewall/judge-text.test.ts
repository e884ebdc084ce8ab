import { describe, expect, it } from 'vitest';
import { AT_ONCE_MAX } from '../../../src/inference/firewall/apart/weight.js';
import { judgeText, judgeTexts } from '../../../src/inference/firewall/judge-text.js';

const OWNER = 'tenant';
const FOUND = 'Паспорт 4509 123456, телефон +79123456789';
const PNG = `iVBORw0KGgo${'Ab9+'.repeat(40)}`;

describe('texts of a pack', () => {
  it('are judged in their order, long ones as short ones', async () => {
    const long = `${'Обычные слова. '.repeat(10)}${FOUND}. `.repeat(AT_ONCE_MAX / 100);
    const short = await judgeTexts(['слова', FOUND, ''], OWNER);
    expect(short).toEqual([
      { dataClass: 'C0', findings: [] },
      { dataClass: 'C3', findings: judgeText(FOUND).findings },
      { dataClass: 'C0', findings: [] },
    ]);
    expect(judgeText(FOUND).findings).toEqual(expect.arrayContaining(['passport', 'phone']));
    const [first, second, third] = await judgeTexts(['слова', long, FOUND], OWNER);
    expect([first, second, third]).toEqual([short[0], short[1], short[1]]);
  });

  it('are at least C3 where nothing reads a part of them', async () => {
    const [plain, picture] = await judgeTexts(
      ['Обычные слова', `Скан: data:image/png;base64,${PNG}`],
      OWNER,
    );
    expect([plain?.dataClass, picture?.dataClass]).toEqual(['C0', 'C3']);
  });
});
