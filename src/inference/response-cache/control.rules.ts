/** What a client asks of the cache for one request. */
export interface CacheWish {
  /** A provider is asked, and its answer is kept. */
  readonly isFresh: boolean;
  /** Nothing is read and nothing is kept. */
  readonly isApart: boolean;
}

/**
 * What `cache-control` says (RFC 9111, 5.2.1): `no-cache` and `no-store`, in the header or in
 * `metadata.cache_control`, which clients without headers of their own state. Both count; what is
 * not known is passed over, as HTTP has it.
 */
export function cacheWish(...stated: readonly unknown[]): CacheWish {
  const directives = stated
    .flatMap((each) => (typeof each === 'string' ? each.split(',') : []))
    .map((each) => each.trim().toLowerCase());
  return {
    isFresh: directives.includes('no-cache'),
    isApart: directives.includes('no-store'),
  };
}
