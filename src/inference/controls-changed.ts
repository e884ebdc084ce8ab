/** The request was decided under controls that are not in force any more; nothing is held. */
export class ControlsChanged extends Error {
  constructor() {
    super('the controls of the organization have changed while the request was decided');
  }
}
