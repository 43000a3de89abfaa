"""The page: Streamlit screens, their parts and their words in English and Chinese, and what starts them."""
