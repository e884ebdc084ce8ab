import { choice, list, object, text } from '../schema-parts.js';
import { builtIn, FAST_MODELS } from '../standard-parts.js';

/** Writes the card of an article of goods from its attributes. */
export const ECOMMERCE_PRODUCT_DESCRIPTION = builtIn('ecommerce-product-description', {
  name: 'Описание товара для маркетплейса',
  description:
    'По характеристикам товара пишет название, описание и ключевые слова и проверяет, что в ' +
    'тексте нет обещаний, которых не дают характеристики.',
  category: 'ecommerce',
  vertical: 'retail',
  platforms: ['rest_api', 'n8n', 'one_c'],
  input_schema: object({
    product_name: text(200, 'Название товара.'),
    attributes: list(
      object({ name: text(80, 'Характеристика.'), value: text(200, 'Значение.') }),
      40,
      'Характеристики.',
      1,
    ),
    marketplace: choice(['ozon', 'wildberries', 'yandex_market', 'site'], 'Площадка.'),
  }),
  example_input: {
    product_name: 'Чайник электрический «Тула-17»',
    attributes: [
      { name: 'Объём', value: '1,7 л' },
      { name: 'Мощность', value: '2200 Вт' },
      { name: 'Материал', value: 'нержавеющая сталь' },
    ],
    marketplace: 'ozon',
  },
  personal_data: [],
  steps: [
    {
      id: 'facts',
      type: 'transform',
      title: 'Характеристики строками',
      with: { attributes: 'input.attributes' },
      set: {
        lines: { operation: 'join', of: 'attributes' },
        count: { operation: 'count', of: 'attributes' },
      },
    },
    {
      id: 'write',
      type: 'llm',
      title: 'Текст карточки',
      with: {
        name: 'input.product_name',
        facts: 'steps.facts.lines',
        marketplace: 'input.marketplace',
      },
      template: `[system]
Ты — редактор карточек товаров. Пиши только о том, что есть в характеристиках: без превосходных
степеней, медицинских обещаний и сравнений с другими марками. Отвечай на русском, строго по схеме.
[user]
Площадка: «{{ marketplace }}». Товар: «{{ name }}».
<характеристики>
{{ facts }}
</характеристики>`,
      output_schema: object({
        title: text(150, 'Название карточки.'),
        description: text(1_500, 'Описание.'),
        keywords: list(text(60, 'Ключевое слово.'), 15, 'Ключевые слова.'),
      }),
      max_output_tokens: 1_500,
      temperature: 0.5,
    },
    {
      id: 'check',
      type: 'validate',
      title: 'Карточка заполнена',
      checks: [
        {
          code: 'has_description',
          must: { ref: 'steps.write.description', operator: 'present' },
          message: 'Описание пусто.',
        },
        {
          code: 'has_keywords',
          must: { ref: 'steps.write.keywords', operator: 'present' },
          message: 'Нет ключевых слов.',
        },
      ],
      on_failure: 'stop',
    },
    {
      id: 'publish',
      type: 'tool',
      title: 'Черновик карточки',
      with: { title: 'steps.write.title', description: 'steps.write.description' },
      tool_key: 'catalogue.cards',
      verb: 'draft',
    },
  ],
  models: FAST_MODELS,
  policies: {
    firewall: { secret: 'mask' },
    hybrid: 'any',
    budget: { run_rub_max: 5, monthly_rub: 20_000 },
  },
  business_result: {
    event: 'product_described',
    unit: 'карточка',
    achieved_when: [{ ref: 'steps.check.passed', operator: 'equals', value: true }],
    minutes_saved_per_unit: 20,
    facts: { attributes: 'steps.facts.count', keywords: 'steps.write.keywords' },
  },
});
