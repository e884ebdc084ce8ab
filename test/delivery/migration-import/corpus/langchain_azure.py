from langchain_openai import AzureChatOpenAI

llm = AzureChatOpenAI(
    azure_endpoint="https://contoso.openai.azure.com",
    azure_deployment="gpt-4o",
    api_version="2024-06-01",
    api_key="0123456789abcdef0123456789abcdef",
)
