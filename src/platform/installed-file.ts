import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Where a file lies that a package brings and that is sent as it is, by the package and its path.
 * The build lays a copy beside the product, which then needs nothing of the package.
 */
export function installedFile(name: string): string {
  return require.resolve(name);
}
