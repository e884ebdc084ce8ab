-- What a row refers to belongs to the tenant of the row: each reference names both, so that no
-- session, whatever its rights, can join rows of two tenants.
DROP INDEX "app_user_tenant_id_idx";
DROP INDEX "budget_tenant_id_id_idx";
DROP INDEX "policy_tenant_id_id_idx";
DROP INDEX "prompt_tenant_id_id_idx";
CREATE UNIQUE INDEX "app_user_tenant_id_id_key" ON "app_user"("tenant_id", "id");
CREATE UNIQUE INDEX "budget_tenant_id_id_key" ON "budget"("tenant_id", "id");
CREATE UNIQUE INDEX "policy_tenant_id_id_key" ON "policy"("tenant_id", "id");
CREATE UNIQUE INDEX "project_tenant_id_id_key" ON "project"("tenant_id", "id");
CREATE UNIQUE INDEX "prompt_tenant_id_id_key" ON "prompt"("tenant_id", "id");

ALTER TABLE "session" DROP CONSTRAINT "session_user_id_fkey",
  ADD CONSTRAINT "session_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id")
    REFERENCES "app_user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "api_key" DROP CONSTRAINT "api_key_project_id_fkey",
  ADD CONSTRAINT "api_key_tenant_id_project_id_fkey" FOREIGN KEY ("tenant_id", "project_id")
    REFERENCES "project"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "policy" DROP CONSTRAINT "policy_project_id_fkey",
  ADD CONSTRAINT "policy_tenant_id_project_id_fkey" FOREIGN KEY ("tenant_id", "project_id")
    REFERENCES "project"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "policy_version" DROP CONSTRAINT "policy_version_policy_id_fkey",
  ADD CONSTRAINT "policy_version_tenant_id_policy_id_fkey" FOREIGN KEY ("tenant_id", "policy_id")
    REFERENCES "policy"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "prompt_version" DROP CONSTRAINT "prompt_version_prompt_id_fkey",
  ADD CONSTRAINT "prompt_version_tenant_id_prompt_id_fkey" FOREIGN KEY ("tenant_id", "prompt_id")
    REFERENCES "prompt"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "prompt_stage" DROP CONSTRAINT "prompt_stage_prompt_id_fkey",
  ADD CONSTRAINT "prompt_stage_tenant_id_prompt_id_fkey" FOREIGN KEY ("tenant_id", "prompt_id")
    REFERENCES "prompt"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "budget_counter" DROP CONSTRAINT "budget_counter_budget_id_fkey",
  ADD CONSTRAINT "budget_counter_tenant_id_budget_id_fkey" FOREIGN KEY ("tenant_id", "budget_id")
    REFERENCES "budget"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
