import anthropic

client = anthropic.Anthropic()
message = client.messages.create(
    model="claude-3-5-sonnet-20241022",
    max_tokens=1024,
    tools=[{"name": "get_weather", "input_schema": {"type": "object"}}],
    messages=[{"role": "user", "content": "Hi"}],
)
