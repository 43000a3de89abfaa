"""Adaptive routing: how much is done for a question. Small talk needs no search, a fact little, a comparison several searches.

After Jeong et al. (2024, "Adaptive-RAG"), whose classes of no, one and several steps are here none, simple and medium, complex;
by features of the question, or by a chat model.
"""

from chains.routing.prepared import Prepared
from chains.routing.route import ROUTES, Route, RouteName
from chains.routing.router import Router
from chains.routing.small_talk import reply_to

__all__ = ["ROUTES", "Prepared", "Route", "RouteName", "Router", "reply_to"]
