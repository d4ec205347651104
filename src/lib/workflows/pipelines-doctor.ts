// Why a pipeline does not sync: report, connection, model and definition read together, first cause first.
import type { Api } from '../api/index.ts';
import { type Diagnosis, diagnose } from '../domain/warehouse/diagnose.ts';
import { readIfThere } from './resource-write.ts';
import { warehouseCalls } from './warehouse-calls.ts';

/** Ages are by the platform's clock, which wrote the times; `now` stands in for it where it does not say. */
export async function examinePipeline(api: Api, id: string, now: number, signal: AbortSignal): Promise<Diagnosis> {
  const pipeline = await api.pipelines.get(id, signal);
  const [{ body: report, date }, connection, model] = await Promise.all([
    api.pipelines.reportDated(id, signal),
    readIfThere(pipeline.connection_id ?? '', warehouseCalls(api, 'connection'), signal),
    readIfThere(pipeline.data_model_id ?? '', warehouseCalls(api, 'data_model'), signal),
  ]);
  const lastSuccess = report.latest_successful_pipeline_run_id;
  const success =
    lastSuccess === null || lastSuccess === undefined ? undefined : await api.pipelines.run(id, lastSuccess, signal);
  return diagnose({ pipeline, report, connection, model, success, now: date ?? now });
}
