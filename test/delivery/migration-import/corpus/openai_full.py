from openai import AsyncOpenAI
from pydantic import BaseModel


class Invoice(BaseModel):
    total: float


client = AsyncOpenAI(
    base_url="https://api.openai.com/v1",
    api_key="sk-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z",  # move me
)


async def read(image: str):
    parsed = await client.beta.chat.completions.parse(
        model="gpt-4o-2024-08-06",
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Read it"},
                    {"type": "image_url", "image_url": {"url": image}},
                ],
            }
        ],
        response_format=Invoice,
    )
    plain = await client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[],
        tools=[{"type": "function", "function": {"name": "save"}}],
        tool_choice="auto",
        response_format={"type": "json_object"},
    )
    vectors = await client.embeddings.create(model="text-embedding-3-large", input=["a"])
    words = await client.audio.transcriptions.create(model="whisper-1", file=b"")
    batch = await client.batches.create(
        input_file_id="file-abc", endpoint="/v1/chat/completions", completion_window="24h"
    )
    picture = await client.images.generate(model="dall-e-3", prompt="A cat")
    return parsed, plain, vectors, words, batch, picture
