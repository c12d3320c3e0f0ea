/**
 * Words that belong to a service. A library that needs one has taken over a rule of the business. Words
 * with a technical meaning as well (pipeline, policy, subscription, payment required) are not on the list.
 */
const businessWords = [
  'client group',
  'invitation',
  'workspace',
  'seat',
  'invoice',
  'ledger',
  'billing',
  'payment method',
  'credit account',
  'quota',
  'notebook',
  'kernel',
  'conversation',
  'assistant',
  'transcription',
  'dataset',
  'task template',
  'client policy',
];

/** Part of who calls, which travels with every call as the organisation does; libraries pass it on and ask it nothing. */
const ofEveryCaller = /\bclientGroupId\b/g;

/** The business word in a name or text, whatever its spelling: clientGroup, CLIENT_GROUPS, "client groups". */
export function businessWordIn(text: string): string | undefined {
  const words = ` ${text
    .replaceAll(ofEveryCaller, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')} `;
  return businessWords.find((word) => words.includes(` ${word} `) || words.includes(` ${word}s `));
}
