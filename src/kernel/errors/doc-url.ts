/** The page of an error code at an address. */
export function docUrl(baseUrl: string, code: string): string {
  return `${baseUrl}/docs/errors/${code}`;
}
