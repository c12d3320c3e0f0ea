import { client } from './hey-api/client.gen.ts';
import { createFile, getCurrentUser, getDocument, streamToAssistant } from './hey-api/sdk.gen.ts';
import { baseUrl, file, question, tell, token, unknownDocument } from './journey.mts';

client.setConfig({ baseUrl, auth: () => token });

const { data: me } = await getCurrentUser();
const { error } = await getDocument({ path: unknownDocument });
const { data: uploaded } = await createFile({ body: { file, purpose: 'assistants' } });

const events: string[] = [];
let text = '';
const { stream } = await streamToAssistant({
  body: question,
  onSseEvent: ({ event }) => void events.push(event ?? ''),
});
for await (const progress of stream) text += progress.text ?? '';

tell({
  name: me?.name ?? '',
  refusal: error && 'code' in error ? error.code : undefined,
  uploadedBytes: uploaded?.bytes,
  events,
  text,
});
