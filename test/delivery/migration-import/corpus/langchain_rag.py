from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

prompt = ChatPromptTemplate.from_messages([("system", "Answer."), ("human", "{q}")])
llm = ChatOpenAI(model="gpt-4o-mini", temperature=0, streaming=True)
store = OpenAIEmbeddings(model="text-embedding-3-small")
agent = prompt | llm.bind_tools([search]) 
typed = llm.with_structured_output(Answer)
