import os
from openai import OpenAI

client = OpenAI(
    base_url=os.getenv("LLM_BASE", "https://openrouter.ai/api/v1"),
    api_key=os.environ.get("OPENROUTER_API_KEY"),
    default_headers={"X-Title": "Demo"},
)
print(client.chat.completions.create(model="meta-llama/llama-3.1-70b-instruct", messages=[]))
