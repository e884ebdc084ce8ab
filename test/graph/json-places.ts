import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

const RECEIPT = 'the very text that its hash is over, under the names of the wire';
const SCHEMA = 'a JSON Schema, whose language is not the gateway’s';
const MANIFEST = 'a document of its author, described by the published JSON Schema of manifests';
const RUN = 'values in the shape that the manifest of the customer declares';
const SAMPLE = 'a sample of the customer, kept and hashed as it is written';
const ARGUMENTS = 'arguments in the shape that the contract of the customer declares';
const RECORD = 'a record of the customer’s own system, or a value of it';
const PAYLOAD = 'the very text that was signed and sent, under the names of the wire';
const CHAT_WIRE = 'what only the chat wire of the model’s provider says the shape of';
const CLASSES = 'modes by the class of finding, which the customer names too';
const FAILED = 'a request or an error as it was sent and answered, however wrong it is';
const PROVIDER_FILE = 'a provider as a document of the operator’s providers file';

/**
 * Where the schema says JSON, and whose shape it is there. What has the gateway’s own shape is
 * typed: a place stands here only for a reason that would convince somebody who wants it typed.
 */
export const JSON_PLACES: Readonly<Record<string, string>> = {
  'AbuseIncidentReceipt.content': RECEIPT,
  'AdaptiveRoutingReceipt.content': RECEIPT,
  'Approval.shown': 'what the decider saw, by the kind of thing that waits; its hash binds it',
  'BillingIntegrityReceipt.content': RECEIPT,
  'Blueprint.manifest': MANIFEST,
  'BlueprintBusinessResult.facts': RUN,
  'BlueprintDeploymentReceipt.content': RECEIPT,
  'BlueprintManifest.manifest': MANIFEST,
  'BlueprintMissingItem.body':
    'the body of another operation, sent as it is: null lifts a value, and a type has no absence',
  'BlueprintReference.manifestSchema': SCHEMA,
  'BlueprintRun.input': RUN,
  'BlueprintRunReceipt.content': RECEIPT,
  'BlueprintRunStep.output': RUN,
  'BlueprintStep.output': RUN,
  'BlueprintStepReceipt.content': RECEIPT,
  'CertificationReceipt.content': RECEIPT,
  'ChatChoice.logprobs': CHAT_WIRE,
  'ChatChoiceDelta.logprobs': CHAT_WIRE,
  'ChatCustomToolInput.format': CHAT_WIRE,
  'ChatFirewall.mode': CLASSES,
  'ChatFormatInput.other': CHAT_WIRE,
  'ChatFunctionInput.parameters': SCHEMA,
  'ChatInput.logitBias': 'numbers by the token, which the vocabulary of the model names',
  'ChatInput.more': CHAT_WIRE,
  'ChatJsonSchemaInput.schema': SCHEMA,
  'ChatMetadataInput.more': 'labels under names of the customer',
  'ChatPartInput.other': CHAT_WIRE,
  'ChatPromptInput.variables': 'values by the variables that the customer has declared',
  'ChatToolChoiceInput.other': CHAT_WIRE,
  'ChatToolInput.other': CHAT_WIRE,
  'CommercialReceipt.content': RECEIPT,
  'ContextTransformReceipt.content': RECEIPT,
  'CostForecast.content': RECEIPT,
  'CostReceipt.content': RECEIPT,
  'FinopsReceipt.content': RECEIPT,
  'IntegrationActionReceipt.content': RECEIPT,
  'IntegrationChange.new': RECORD,
  'IntegrationChange.old': RECORD,
  'IntegrationPreviewInput.changes': RECORD,
  'IntegrationPreviewInput.record': RECORD,
  'IntegrationRollbackReceipt.content': RECEIPT,
  'MigrationCutoverReceipt.content': RECEIPT,
  'MigrationExpectationInput.jsonSchema': SCHEMA,
  'MigrationCheckReport.content': RECEIPT,
  'MigrationReceipt.content': RECEIPT,
  'BalanceOperation.content': RECEIPT,
  'MonthClose.content': RECEIPT,
  'JsonPatchStep.value': 'a value of the caller’s own request, of any type',
  'Mutation.blueprintManifestStore(manifest)': MANIFEST,
  'Mutation.blueprintRun(input)': RUN,
  'Mutation.blueprintRun(metadata)': 'labels under names of the customer',
  'Mutation.promptTest(contextPack)': SAMPLE,
  'Mutation.promptTest(sampleOutputs)': SAMPLE,
  'Mutation.promptTest(sampleVariables)': SAMPLE,
  'Mutation.providerDeclare(definition)': PROVIDER_FILE,
  'OnboardingReceipt.content': RECEIPT,
  'OtherReceipt.content': RECEIPT,
  'OutputPlanInput.jsonSchema': SCHEMA,
  'PersonalDataErasureReceipt.content': RECEIPT,
  'Policy.firewall': CLASSES,
  'PolicyRules.firewall': CLASSES,
  'PriceBookReceipt.content': RECEIPT,
  'PromptCase.outputSchema': SCHEMA,
  'PromptCase.variables': 'values by the variables that the customer has declared',
  'PromptCaseInput.outputSchema': SCHEMA,
  'PromptCaseInput.variables': 'values by the variables that the customer has declared',
  'PromptCreateInput.contextPack': SAMPLE,
  'PromptCreateInput.outputSchema': SCHEMA,
  'PromptCreateInput.sampleOutputs': SAMPLE,
  'PromptCreateInput.sampleVariables': SAMPLE,
  'PromptEvaluationReceipt.content': RECEIPT,
  'PromptGateReceipt.content': RECEIPT,
  'PromptGateSampleFinding.standIn': 'any value of the type that the variable declares',
  'PromptRuleGrader.json': 'any value that an answer of the customer’s own shape must have',
  'PromptRuleGraderInput.json': 'any value that an answer of the customer’s own shape must have',
  'PromptVariable.default': 'any value of the type that the variable declares',
  'PromptVariableInput.default': 'any value of the type that the variable declares',
  'PromptVersion.contextPack': SAMPLE,
  'PromptVersion.outputSchema': SCHEMA,
  'PromptVersion.sampleOutputs': SAMPLE,
  'PromptVersion.sampleVariables': SAMPLE,
  'PromptVersionCreateInput.contextPack': SAMPLE,
  'PromptVersionCreateInput.outputSchema': SCHEMA,
  'PromptVersionCreateInput.sampleOutputs': SAMPLE,
  'PromptVersionCreateInput.sampleVariables': SAMPLE,
  'ProviderDeclaration.definition': PROVIDER_FILE,
  'Query.blueprintManifestLint(manifest)': MANIFEST,
  'RequestDebugInput.error': FAILED,
  'RequestDebugInput.metadata': FAILED,
  'RequestDebugInput.request': FAILED,
  'RoutingReceipt.content': RECEIPT,
  'SealedReceipt.content': RECEIPT,
  'ToolActionInput.arguments': ARGUMENTS,
  'ToolCall.arguments': ARGUMENTS,
  'ToolCallReceipt.content': RECEIPT,
  'ToolRollbackInput.arguments': ARGUMENTS,
  'ToolVerbInput.argumentsSchema': SCHEMA,
  'ToolVerbRule.argumentsSchema': SCHEMA,
  'WebhookDelivery.payload': PAYLOAD,
};

/** Every place of a schema that says JSON: `Type.field`, or `Type.field(argument)`. */
export function jsonPlaces(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(placesIn);
}

function placesIn(type: GraphQLNamedType): string[] {
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).flatMap((field) => place(type, field.name, field.type));
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    ...place(type, field.name, field.type),
    ...field.args.flatMap((arg) => place(type, `${field.name}(${arg.name})`, arg.type)),
  ]);
}

function place({ name }: GraphQLNamedType, part: string, type: GraphQLType): string[] {
  return getNamedType(type).name === 'JSON' ? [`${name}.${part}`] : [];
}
