import { openApi } from '@platform-backend/contract/http';
import type { JsonObject, JsonValue } from '@platform-backend/contract/messages';
import { loadSample, loadStreams } from '@platform-backend/contract/testing/sample-contract';
import { loadPlatformContract } from '@platform-backend/contracts';

export const contract = loadPlatformContract();
export const document = openApi(contract);
export const sample = openApi(loadSample());
export const streams = openApi(loadStreams());

export function at(root: JsonValue, ...path: string[]): JsonObject {
  return path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? {}, root) as JsonObject;
}
