/**
 * `node tools/protos/bench/check.ts`: what the check of a request costs beside its decoding. Rounds are interleaved;
 * medians are printed.
 */
import { loadPlatformContract } from '@platform-backend/contracts';

const contract = loadPlatformContract();
const id = '0199c0de-0000-7000-8000-000000000000';
const usageRecord = { id, clientGroupId: id, apiKeyId: id, requests: 5, occurredAt: new Date(0) };
const requests: Readonly<Record<string, object>> = {
  'platform.billing.v1.CreditService/GetCreditBalance': {},
  'platform.billing.v1.CreditService/ReserveCredits': {
    reservationId: id,
    amountMicros: 5_000_000,
    purpose: 'pipeline_run',
    clientGroupId: id,
    apiKeyId: id,
  },
  'platform.billing.v1.UsageService/RecordUsage': { records: Array.from({ length: 100 }, () => usageRecord) },
  'platform.identity.v1.ClientGroupService/ListClientGroups': { limit: 50 },
  'platform.identity.v1.ClientGroupService/UpdateClientGroup': {
    groupId: id,
    name: 'Clients of the northern region',
    description: 'Everybody who may see the reports of the northern region.',
    updateMask: { paths: ['name', 'description'] },
  },
};

const ways = Object.entries(requests).flatMap(([operationId, input]): [string, () => unknown][] => {
  const { service, method, grpcPath } = contract.operation(operationId);
  const rpc = contract.serviceDefinition(service)[method];
  if (!rpc) throw new Error(`no definition of ${operationId}`);
  const bytes = rpc.requestSerialize(input);
  const request = rpc.requestDeserialize(bytes) as object;
  const check = contract.requestCheck(grpcPath);
  if (check(request, bytes.length).length > 0) throw new Error(`a sample of ${operationId} breaks its rules`);
  return [
    [`${method}: decode`, () => rpc.requestDeserialize(bytes) as object],
    [`${method}: check`, () => check(request, bytes.length)],
  ];
});

const rounds = 15;
const repeats = 5_000;
const times = new Map(ways.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of ways) {
    const start = process.cpuUsage();
    for (let count = 0; count < repeats; count++) run();
    times.get(name)?.push((process.cpuUsage(start).user / repeats) * 1000);
  }
}
for (const [name, list] of times) {
  const median = list.sort((a, b) => a - b)[rounds >> 1] ?? 0;
  process.stdout.write(`${median.toFixed(0).padStart(8)} ns CPU  ${name}\n`);
}
