import type { ServedDocument } from './hooks.js';

/** Stands in documents for the address at which the gateway is reached. */
export const ADDRESS_PLACE = '{gw_address}';

/** A document that names the address by which it was asked for, in places of quoted texts. */
export function servedAt(contentType: string, text: () => string): ServedDocument {
  const parts = once(() => text().split(ADDRESS_PLACE));
  return {
    contentType,
    text: (address) => parts().join(JSON.stringify(address).slice(1, -1)),
  };
}

/** What is made when it is first asked for, and kept. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
