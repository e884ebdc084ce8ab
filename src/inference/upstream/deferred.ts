/** A promise that its maker settles; it rejects with failures of one kind. */
export class Deferred<T, F> {
  resolve: (value: T) => void = () => undefined;
  reject: (failure: F) => void = () => undefined;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
