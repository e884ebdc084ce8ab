-- A deployment rests on a run of its own project that has proved its result. What a run came to stands
-- in a column that is sealed and may be erased, and its project nowhere: both are kept beside it. Runs of
-- before have none of it and are no ground for a deployment.
ALTER TABLE blueprint_run
  ADD COLUMN project_id uuid,
  ADD COLUMN proof text CHECK (proof IN ('proved', 'failed', 'not_proved', 'simulated')),
  ADD COLUMN achieved boolean,
  ADD COLUMN simulated boolean,
  ADD COLUMN checks_failed text[] NOT NULL DEFAULT '{}';
ALTER TABLE blueprint_run_underway ADD COLUMN project_id uuid;
CREATE INDEX blueprint_run_of_project
  ON blueprint_run (tenant_id, project_id, manifest_hash, id DESC) WHERE project_id IS NOT NULL;
