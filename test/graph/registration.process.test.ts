import { describe, expect, it, vi } from 'vitest';
import { KEYED_MUTATIONS, keepingOf } from '../../src/graph/keeping.js';
import { MODULES, registerModule } from '../../src/graph/registration.js';
import { ACCESS_ERRORS } from '../../src/kernel/errors/access.js';
import { addErrors, ERRORS, type ErrorCode, errorRow } from '../../src/kernel/errors/catalogue.js';
import { HTTP_ERRORS } from '../../src/kernel/errors/http.js';
import { PERSONAL_DATA_ERRORS } from '../../src/kernel/errors/personal-data.js';
import { REQUEST_ERRORS } from '../../src/kernel/errors/request.js';

const known = () => ({ errors: Object.keys(ERRORS), mutations: [...KEYED_MUTATIONS] });

describe('the registration of modules', () => {
  it('publishes the codes of errors module by module, after those of the kernel', () => {
    const own = [...MODULES.values()].flatMap(({ errors = {} }) => Object.keys(errors));
    const kernel = [REQUEST_ERRORS, HTTP_ERRORS, ACCESS_ERRORS, PERSONAL_DATA_ERRORS].flatMap(
      Object.keys,
    );
    expect(Object.keys(ERRORS)).toEqual([...kernel, ...own]);
  });

  it('refuses a folder, a code or a mutation that is there, and leaves it as it is', () => {
    const before = known();
    const errors = { tool_limit_reached: errorRow('not_found') };
    expect(() => registerModule('prompts/use', {})).toThrow('prompts/use is registered twice');
    expect(() => addErrors(errors)).toThrow('the error tool_limit_reached is registered twice');
    expect(() =>
      registerModule('sample/mutations', { mutations: { own_books: ['toolRegister'] } }),
    ).toThrow('the mutation toolRegister is registered twice');
    expect(known()).toEqual(before);
    expect(errorRow('tool_limit_reached').status).toBe(422);
  });

  it('names a code whose module was not registered', () => {
    expect(() => errorRow('sample_code' as ErrorCode)).toThrow(
      'the error sample_code is raised before its module is registered',
    );
  });

  it('keeps what no module names as something with books of its own', () => {
    expect(keepingOf(['toolRegister', 'policyCreate'])).toBe('one_commit');
    expect(keepingOf(['toolRegister', 'toolCallExecute'])).toBe('own_books');
    expect(keepingOf(['sampleCreate'])).toBe('own_books');
  });

  it('loads what modules add after every row, and takes no module from then on', async () => {
    vi.resetModules();
    const fresh = await import('../../src/graph/registration.js');
    const seen: string[][] = [];
    const load = () => [Promise.resolve().then(() => seen.push([...fresh.MODULES.keys()]))];
    fresh.registerModule('sample/first', { load });
    fresh.registerModule('sample/second', {});
    await fresh.openModules();
    expect(seen).toEqual([['sample/first', 'sample/second']]);
    expect(() => fresh.registerModule('sample/late', {})).toThrow(
      'sample/late is registered after the schema was built',
    );
  });
});
