import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { BASE_URL_PLACE, printable } from '../../growth/devex/quickstart/snippets.js';
import { docUrl } from '../../kernel/errors/doc-url.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { told } from '../../kernel/errors/told.js';
import type { InLanguages } from '../../kernel/language/languages.js';
import { accessPage } from './access-page.js';
import { agentInstructions, fullText, shortText } from './agent-texts.js';
import { sendAsset } from './assets.js';
import { cockpitPage } from './cockpit.js';
import { errorListPage, errorPage, failurePage, notFoundPage } from './error-pages.js';
import { errorListText, errorText } from './error-texts.js';
import { allowEveryone, allowTool, commonHeaders, keepPrivate } from './headers.js';
import { landingPage } from './landing.js';
import { OpenApiView } from './openapi-view.js';
import { operationIndex, operationPage } from './operation-pages.js';
import { quickstartListText, quickstartText } from './quickstart-texts.js';
import { alternatesOf, madeOnce, type Reading, readBy, readingOf } from './reading.js';
import { type PageReport, reportPage } from './report-page.js';
import { resetPage } from './reset-page.js';
import { explorerPage, referencePage } from './tool-pages.js';

/** What the application gives to its pages. */
export interface PagesOptions {
  /** The address that the caller used, without a slash at the end. */
  baseUrlOf(request: Request): string;
  /** The description of the REST paths at an address, as text. */
  openapi(address: string): { readonly json: string; readonly yaml: string };
  /** The schema, as text. */
  schemaSdl(): string;
  /** The module whose right an operation asks for; undefined for one that asks none. */
  moduleOf(operationId: string): string | undefined;
  /** The report that the secret part of a link shows now; undefined for any other text. */
  sharedReport(token: string): Promise<PageReport | undefined>;
  /** Told of every page that could not be made. */
  onFailure?(error: unknown, requestId: string): void;
}

/**
 * Everything that people open in a browser. It stands behind the REST rows and GraphQL, needs no
 * other host, and answers what nothing else answered.
 */
export function createPages(options: PagesOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', 'strong');
  app.set('case sensitive routing', true);
  app.use(commonHeaders);

  addPages(app, options);
  app.get('/assets/:name', async (request, response, next) => {
    if (!(await sendAsset(request.params.name, request, response))) next();
  });
  app.get('/beacon.js', async (request, response) => {
    allowEveryone(response).set('cache-control', 'public, max-age=3600');
    await sendAsset('beacon.js', request, response);
  });
  addDocuments(app, options);
  app.use(answerUnknown(options));
  app.use(answerFailure(options));
  return app;
}

/** Makes a page for whoever reads it so; undefined where there is none. */
type MakePage = (reading: Reading, request: Request) => string | undefined;

/** The pages for people. */
function addPages(app: Express, options: PagesOptions): void {
  const { baseUrlOf } = options;
  const add = (path: string, make: MakePage, allow = (response: Response) => response) => {
    app.get(path, (request, response, next) => {
      const found = make(readingOf(request), request);
      if (found === undefined) return next();
      readBy(request, response);
      allow(response).type('html').send(found);
    });
  };
  add('/', (reading, request) => landingPage(baseUrlOf(request), reading));
  add('/cockpit', (reading, request) => cockpitPage(baseUrlOf(request), reading), allowTool);
  add('/docs', referencePage, allowTool);
  add('/graphiql', explorerPage, allowTool);
  add('/docs/errors', errorListPage);
  add('/docs/errors/:code', (reading, { params }) => errorPage(String(params.code), reading));
  add('/docs/access', accessPage);
  add('/reset-password', resetPage, (response) => keepPrivate(allowTool(response)));
  app.get('/cockpit/reports/:token', async (request, response, next) => {
    keepPrivate(response);
    const found = await options.sharedReport(request.params.token);
    if (found === undefined) return next();
    response.type('html').send(reportPage(found, readBy(request, response)));
  });
}

/** The machine-readable documents, which programs on pages of other hosts may read. */
function addDocuments(app: Express, options: PagesOptions): void {
  const add = (path: string, type: string, textOf: (request: Request) => string) => {
    app.get(path, (request, response) => {
      allowEveryone(response).type(type).send(textOf(request));
    });
  };
  const openapiAt = (request: Request) => options.openapi(options.baseUrlOf(request));
  add('/openapi.json', 'application/json', (request) => openapiAt(request).json);
  add('/openapi.yaml', 'application/yaml', (request) => openapiAt(request).yaml);
  add('/schema.graphql', 'text/plain', () => options.schemaSdl());
  addTexts(app, options);
}

/** A text with the address that the caller used, in which nothing can end a text of code. */
function placed(text: string, baseUrl: string): string {
  return text.replaceAll(BASE_URL_PLACE, () => printable(baseUrl));
}

/** Makes a text for whoever reads it so; undefined for the name of none. */
type MakeText = (reading: Reading, name: string, baseUrl: string) => string | undefined;

/** The documents of our own words: the long texts, and those that have a page for each thing. */
function addTexts(app: Express, options: PagesOptions): void {
  let made: InLanguages<OpenApiView> | undefined;
  const view = ({ language }: Reading) => {
    made ??= OpenApiView.inLanguages(options.openapi(BASE_URL_PLACE).json);
    return made[language];
  };
  const add = (path: string, type: string, make: MakeText) => {
    app.get(path, (request, response, next) => {
      const baseUrl = options.baseUrlOf(request);
      const reading = readingOf(request);
      const text = make(reading, String(request.params.name ?? ''), baseUrl);
      if (text === undefined) return next();
      readBy(request, response);
      response.set('link', alternatesOf(request.path));
      allowEveryone(response).type(type).send(placed(text, baseUrl));
    });
  };
  const short = madeOnce((reading) => shortText(view(reading), reading));
  const full = madeOnce((reading) => fullText(view(reading), options.schemaSdl(), reading));
  add('/llms.txt', 'text/plain', short);
  add('/llms-full.txt', 'text/plain', full);
  const addPage = (path: string, make: MakeText) => add(path, 'text/markdown', make);
  addPage('/agents.md', agentInstructions);
  addPage('/docs/operations.md', (reading) => operationIndex(view(reading), reading));
  addPage('/docs/operations/:name.md', (reading, id) =>
    operationPage(view(reading), id, options.moduleOf, reading),
  );
  addPage('/docs/errors.md', errorListText);
  addPage('/docs/errors/:name.md', (reading, code) => errorText(code, reading));
  addPage('/docs/quickstart.md', quickstartListText);
  addPage('/docs/quickstart/:name.md', (reading, code, baseUrl) =>
    quickstartText(code, baseUrl, reading),
  );
}

function answerUnknown(options: PagesOptions): RequestHandler {
  return (request, response) => {
    const { method, path } = request;
    const cure = 'All paths are listed in /openapi.json.';
    const values = { method, path: path.slice(0, 200), cure };
    const error = new GatewayError('unknown_url', { values });
    answer(request, response, error, options, (reading) => notFoundPage(path, reading));
  };
}

function answerFailure(options: PagesOptions): ErrorRequestHandler {
  const unknown = answerUnknown(options);
  return (error: unknown, request, response, next) => {
    // A path that cannot be decoded leads nowhere: the caller's fault, not ours.
    if (error instanceof URIError) return unknown(request, response, next);
    const requestId = String(response.get('x-request-id'));
    options.onFailure?.(error, requestId);
    if (response.headersSent) return next(error);
    const failure = new GatewayError('internal_error', { cause: error });
    answer(request, response, failure, options, (reading) => failurePage(requestId, reading));
  };
}

/** A page for those who ask for one; the envelope of every failure for all others. */
function answer(
  request: Request,
  response: Response,
  failure: GatewayError,
  options: PagesOptions,
  pageText: (reading: Reading) => string,
): void {
  const { code, row, status } = failure;
  const reading = readBy(request, response);
  response.status(status);
  if (request.headers.accept?.includes('text/html')) {
    response.type('html').send(pageText(reading));
    return;
  }
  const { message } = told(failure, reading.language);
  const request_id = response.get('x-request-id');
  const doc_url = docUrl(options.baseUrlOf(request), code);
  response.json({ error: { message, type: row.type, param: null, code, request_id, doc_url } });
}
