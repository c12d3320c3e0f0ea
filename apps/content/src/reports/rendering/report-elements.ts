/** The sanitised HTML of a report as a tree. */
export type Node = Element | TextNode;

export interface TextNode {
  readonly type: 'text';
  readonly data: string;
}

export interface Element {
  readonly type: 'tag';
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
}

/** Text in one style. */
export interface InlineRun {
  readonly text: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly code: boolean;
  readonly struck: boolean;
  readonly link?: string;
}

export const isElement = (node: Node): node is Element => node.type === 'tag';

/** The elements that stand alone. */
export const blockElements: readonly string[] = [
  'blockquote',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'img',
  'li',
  'ol',
  'p',
  'pre',
  'table',
  'ul',
];
const blocks = new Set(blockElements);

/** Whether it stands alone, or something in it does. */
export const isBlock = ({ name, children }: Element): boolean =>
  blocks.has(name) || children.some((child) => isElement(child) && isBlock(child));

const plain: Omit<InlineRun, 'text'> = { bold: false, italic: false, code: false, struck: false };

/** What stands in a line, with single spaces unless it is preformatted. */
export function inlineRuns(nodes: readonly Node[], preformatted = false): InlineRun[] {
  const runs: InlineRun[] = [];
  const collect = (node: Node, style: Omit<InlineRun, 'text'>, isRaised = false): void => {
    if (!isElement(node)) {
      const text = preformatted ? node.data : node.data.replaceAll(/\s+/g, ' ');
      runs.push({ ...style, text: isRaised ? raised(text) : text });
    } else if (node.name === 'br') runs.push({ ...style, text: '\n' });
    else if (!leadsBack(node))
      for (const child of node.children) collect(child, styleOf(node, style), isRaised || node.name === 'sup');
  };
  for (const node of nodes) collect(node, plain);
  return preformatted ? runs : trimmed(runs);
}

function styleOf({ name, attribs }: Element, style: Omit<InlineRun, 'text'>): Omit<InlineRun, 'text'> {
  if (name === 'strong') return { ...style, bold: true };
  if (name === 'em') return { ...style, italic: true };
  if (name === 'del') return { ...style, struck: true };
  if (name === 'code') return { ...style, code: true };
  const { href = '' } = attribs;
  // Nothing on paper leads to another place of the same paper.
  return name === 'a' && href !== '' && !href.startsWith('#') ? { ...style, link: href } : style;
}

/** The way back from a note, which paper does not have. */
const leadsBack = ({ name, attribs }: Element): boolean =>
  name === 'a' && (attribs['href'] ?? '').startsWith('#footnote-ref-');

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** As small digits above the line; what has none stays as it is. */
const raised = (text: string): string => text.replaceAll(/\d/g, (digit) => RAISED.charAt(Number(digit)));

/** Without spaces at both ends and twice in the middle. */
function trimmed(runs: readonly InlineRun[]): InlineRun[] {
  const kept: InlineRun[] = [];
  let endsWithSpace = true;
  for (const run of runs) {
    const text = endsWithSpace ? run.text.replace(/^ /, '') : run.text;
    if (text === '') continue;
    kept.push({ ...run, text });
    endsWithSpace = /[ \n]$/.test(text);
  }
  const last = kept.pop();
  if (!last) return kept;
  const text = last.text.trimEnd();
  return text === '' ? trimmed(kept) : [...kept, { ...last, text }];
}
