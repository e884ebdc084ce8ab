/*
 * Puts a button beside whatever is there to be copied: blocks of code, and what says so by
 * data-copy. Without scripts there is none, since it would do nothing.
 */

{
  const { wordCopy, wordCopied } = document.body.dataset;
  const SHOWN_MS = 2_000;

  // Pages that are reached by plain http from another machine have no clipboard of their own.
  function copyByHand(text) {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }

  async function copy(text) {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyByHand(text);
  }

  function buttonFor(source) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = wordCopy;
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      await copy('value' in source ? source.value : source.textContent).catch(() => {
        copyByHand(source.textContent);
      });
      button.focus();
      button.textContent = wordCopied;
      setTimeout(() => {
        button.textContent = wordCopy;
      }, SHOWN_MS);
    });
    return button;
  }

  for (const block of document.querySelectorAll('pre')) {
    const frame = document.createElement('div');
    frame.className = 'copyable';
    block.replaceWith(frame);
    frame.append(block, buttonFor(block));
  }
  for (const source of document.querySelectorAll('[data-copy]')) source.after(buttonFor(source));
}
