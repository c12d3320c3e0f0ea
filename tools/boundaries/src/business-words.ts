/**
 * Words that belong to a service. A library that needs one has taken over a rule of the business. Words
 * with a technical meaning as well (pipeline, subscription, payment required) are not on the list.
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
  'notebook',
  'kernel',
  'conversation',
  'assistant',
  'transcription',
  'dataset',
  'task template',
];

/** The business word in a name or text, whatever its spelling: clientGroup, CLIENT_GROUPS, "client groups". */
export function businessWordIn(text: string): string | undefined {
  const words = ` ${text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')} `;
  return businessWords.find((word) => words.includes(` ${word} `) || words.includes(` ${word}s `));
}
