import type { ACCESS_ERRORS } from './errors/access.js';
import type { HTTP_ERRORS } from './errors/http.js';
import type { PERSONAL_DATA_ERRORS } from './errors/personal-data.js';
import type { REQUEST_ERRORS } from './errors/request.js';

/**
 * The rows of all modules, by the folder of the module. Every module adds its own by declaration
 * merging where it registers itself (`src/graph/registration.ts`), so that kinds of ids, codes of
 * errors and permissions are names that the compiler knows, and no list names them again.
 */
export interface ModuleRows {
  /** What the kernel itself makes and raises. It is there from the start. */
  readonly kernel: {
    readonly ids: { readonly Request: unknown };
    readonly errors: typeof REQUEST_ERRORS &
      typeof HTTP_ERRORS &
      typeof ACCESS_ERRORS &
      typeof PERSONAL_DATA_ERRORS;
  };
}

/** Every name that stands in a column of the rows of all modules. */
export type NamesIn<Column extends string> = {
  [Module in keyof ModuleRows]: ModuleRows[Module] extends Readonly<Record<Column, infer Cells>>
    ? keyof Cells & string
    : never;
}[keyof ModuleRows];
