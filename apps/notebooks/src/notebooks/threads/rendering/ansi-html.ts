export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const COLOURS = ['', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', ''];
// oxlint-disable-next-line no-control-regex -- the character that such sequences begin with
const SEQUENCE = /\u001b\[([0-9;]*)([A-Za-z])/;

/** What was written for a terminal: its colours and bold letters stay, everything else that only a terminal knows goes. */
export function ansiHtml(text: string): string {
  const parts = text.split(SEQUENCE);
  let [colour, isBold] = ['', false];
  let html = '';
  for (let at = 0; at < parts.length; at += 3) {
    const shown = escaped(parts[at] ?? '');
    const classes = [colour, isBold ? 'bold' : ''].filter((name) => name !== '').join(' ');
    html += classes === '' || shown === '' ? shown : `<span class="${classes}">${shown}</span>`;
    if (parts[at + 2] !== 'm') continue;
    for (const code of (parts[at + 1] ?? '').split(';').map(Number)) {
      if (code === 0) [colour, isBold] = ['', false];
      else if (code === 1) isBold = true;
      else if (code === 22) isBold = false;
      else if (code === 39) colour = '';
      else if (code >= 30 && code <= 37) colour = COLOURS[code - 30] ?? '';
      else if (code >= 90 && code <= 97) colour = COLOURS[code - 90] ?? '';
    }
  }
  return html;
}
