-- The onboarding of an organization, which its receipts are read by. An organization has one: the
-- unique index refuses the second, also when two race.
CREATE TABLE "onboarding" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "started_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "onboarding_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "onboarding_tenant_id_key" ON "onboarding" ("tenant_id");

CALL make_append_only('onboarding');
CALL keep_to_tenant('onboarding', 'SELECT, INSERT');
