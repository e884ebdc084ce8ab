KEY=sk-Tt1Rr2Ee3Ww4Qq5Aa6Ss7Dd8
curl -s -X POST "https://openrouter.ai/api/v1/embeddings" --header "Authorization: Bearer sk-or-Zx9Cv8Bn7Mm6Kk5Jj4Hh3" \
  --json '{"model": "openai/text-embedding-3-small", "input": "Hi"}'
