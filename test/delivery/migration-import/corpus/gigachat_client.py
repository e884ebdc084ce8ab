from langchain_gigachat.chat_models import GigaChat

llm = GigaChat(credentials="NDU2Nzg5MDEtYmNkZS1mMTIzLTQ1NjctODkwMWFiY2RlZjEy", model="GigaChat-Max")
for chunk in llm.stream("Привет"):
    print(chunk.content)
