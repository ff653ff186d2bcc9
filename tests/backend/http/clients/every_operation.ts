// Calls every operation of the service with a generated client. requests.json holds the requests.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";
import requests from "./requests.json" with { type: "json" };

type Request = {
  operation_id: string;
  path: string;
  method: string;
  values: { path: object; query: object; header: object };
  body: unknown;
  is_form: boolean;
  headers: Record<string, string>;
};
type Options = { redirect: "manual"; parseAs: "text"; params: object; headers: object; body?: unknown };
type Send = (method: string, path: string, options: Options) => Promise<{ response: Response; data?: string }>;

const client = createClient<paths>({ baseUrl: requests.url, headers: { "CP-X-API-KEY": requests.key } });

async function readFinishedJob(id: string): Promise<number> {
  const { data, error } = await client.GET("/sources/{id}", { params: { path: { id } } });
  if (error) throw new Error(error.detail);
  const job: components["schemas"]["SourcesJob"] = data.data;
  if (job.status !== "completed" || job.result === undefined) throw new Error(`The job is ${job.status}.`);
  return job.result.truth_assessment.truth_probability;
}

async function submitJob(): Promise<string> {
  const body = { statement: "Bitcoin has a limit of 21 million coins.", max_results: 5 };
  const { data, error } = await client.POST("/sources", { body });
  if (error) throw new Error(error.detail);
  if (!("job_id" in data.data)) throw new Error("The job has ended before it was accepted.");
  return data.data.job_id;
}

const statuses: Record<string, number> = {};
for (const { operation_id, path, method, values, body, is_form, headers } of requests.calls as Request[]) {
  const type = is_form ? { "Content-Type": "application/x-www-form-urlencoded" } : {};
  const { response } = await (client.request as unknown as Send)(method, path, {
    redirect: "manual",
    parseAs: "text",
    params: values,
    headers: { ...type, ...headers },
    ...(body === null ? {} : { body }),
  });
  statuses[operation_id] = response.status;
}
const probability = await readFinishedJob(requests.finished_job);
console.log(JSON.stringify({ statuses, probability, submitted: await submitJob() }));
