import createClient from 'openapi-fetch';
import { baseUrl, eventsOf, file, question, tell, token, unknownDocument } from './journey.mts';
import type { components, paths } from './schema.d.ts';

const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

const { data: me } = await client.GET('/me/');
const { error } = await client.GET('/documents/{document_id}/', { params: { path: unknownDocument } });

const { data: uploaded } = await client.POST('/v1/files', {
  // It has no type for the file of a form.
  body: { file: file as unknown as string, purpose: 'assistants' },
  bodySerializer: (body) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) form.append(name, value);
    return form;
  },
});

const events: string[] = [];
let text = '';
const { data: stream } = await client.POST('/agents/submit-to-assistant/stream/', {
  body: question,
  parseAs: 'stream',
});
if (stream) {
  for await (const { kind, data } of eventsOf<components['schemas']['TurnProgress']>(stream)) {
    events.push(kind);
    text += data.text ?? '';
  }
}

tell({
  name: me?.name ?? '',
  refusal: error && 'code' in error ? error.code : undefined,
  uploadedBytes: uploaded?.bytes,
  events,
  text,
});
