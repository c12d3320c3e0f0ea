import { loadContract } from '@platform-backend/contract';
import { contentContract } from '@platform-backend/contract-content';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { operationRefusal, type CallContext } from '@platform-backend/grpc';
import type { TurnRights } from '../domain/assistant-config.ts';

/** What a caller may have an assistant do: what the contract lets them do themselves, by these operations. */
export function rightsOf(caller: CallContext['caller']): TurnRights {
  const [content, pipelines] = [loadContract(contentContract), loadContract(pipelinesContract)];
  const may = (contract: typeof content, id: string): boolean => !operationRefusal(caller, contract, id);
  return {
    documents: may(content, 'platform.content.v1.DocumentService/GetDocument'),
    conventions: may(content, 'platform.content.v1.ConventionService/GetConvention'),
    datasets: may(pipelines, 'platform.pipelines.v1.DatasetService/QueryDatasets'),
    pipelines: may(pipelines, 'platform.pipelines.v1.PipelineService/GetPipeline'),
    runs: may(pipelines, 'platform.pipelines.v1.RunService/StartRun'),
  };
}
