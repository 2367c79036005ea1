"""The six kinds of endpoint that terrarium-mcp is made for."""

from tests.servers.endpoints.llama_cpp import LlamaCpp
from tests.servers.endpoints.lm_studio import LmStudio
from tests.servers.endpoints.ollama import Ollama
from tests.servers.endpoints.openai import OpenAI
from tests.servers.endpoints.stand_in import StandIn
from tests.servers.endpoints.terrarium_agent import TerrariumAgent
from tests.servers.endpoints.vllm import Vllm

KINDS: tuple[type[StandIn], ...] = (TerrariumAgent, Vllm, LlamaCpp, Ollama, LmStudio, OpenAI)
